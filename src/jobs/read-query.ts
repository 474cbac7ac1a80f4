import { invalidField } from '../platform/failure.ts';

/** A page number, or the size of a page; `format: integer-text` has checked that it is an integer. */
export function readPage(field: 'page' | 'page_size', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number < 1) throw invalidField(field, 'Not a positive integer');
  return number;
}

/** More days than any record is old; a calendar has no day much further back. */
const maxDays = 36_500;

export function readDays(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw invalidField('limit_days', `${text} is not an integer`);
  return Math.min(Math.max(Number(text), -maxDays), maxDays);
}
