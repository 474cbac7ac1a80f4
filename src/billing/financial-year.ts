import { Type } from 'typebox';
import { invalid } from '../platform/failure.ts';

// Accepts any value: parseFinancialYear validates it, with the same error text for every invalid year.
export const YearQuery = Type.Object({
  year: Type.Optional(Type.Unsafe<unknown>({ description: 'Financial year (required): the year it starts in' })),
});

/** Parses a year of the query string. */
export function parseFinancialYear(text: unknown): number {
  const year = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  // The calendar year in which it ends must have four digits too.
  if (year < 1 || year > 9998) throw invalid('No valid year provided');
  return year;
}
