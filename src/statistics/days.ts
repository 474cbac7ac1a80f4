import { type Calendar, type Days, isDay } from '../countries/calendar.ts';
import { invalid } from '../platform/failure.ts';

export interface DateRangeQuery {
  start_date?: unknown;
  end_date?: unknown;
}

/** Clients see the first error, so the order matters: start format, end format, then the range. */
export function daysOf(query: DateRangeQuery): Days {
  const first_day = parseDay(query.start_date);
  const last_day = parseDay(query.end_date);
  if (first_day > last_day) throw invalid('Start date must be before end date');
  return { first_day, last_day };
}

/** Missing dates default to today. */
export function daysUpTo(today: string, query: DateRangeQuery): Days {
  const { start_date = today, end_date = today } = query;
  return daysOf({ start_date, end_date });
}

export function daysOfOneYear(calendar: Calendar, query: DateRangeQuery): Days {
  const days = daysOf(query);
  if (calendar.financialYearOfDay(days.first_day) !== calendar.financialYearOfDay(days.last_day)) {
    throw invalid('Date must be in a single financial year.');
  }
  return days;
}

function parseDay(text: unknown): string {
  // PostgreSQL has no year 0.
  if (typeof text === 'string' && isDay(text) && !text.startsWith('0000')) return text;
  throw invalid('Input must be a date in the format: YYYY-MM-DD');
}
