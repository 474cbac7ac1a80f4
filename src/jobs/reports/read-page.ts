import { invalidField } from '../../platform/failure.ts';

/** A page number, or the size of a page. */
export function readPage(field: 'page' | 'page_size', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number < 1) throw invalidField(field, 'Not a positive integer');
  return number;
}
