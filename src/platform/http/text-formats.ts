import { isDay } from '../calendar.ts';
import { isUuid } from '../id.ts';
import type { SchemaError } from './schema-problems.ts';

/** A named format: a predicate, or a function that returns the error text. */
export type TextFormat = ((text: string) => boolean) | { refusal(text: string): string | undefined };

export function acceptedBy(format: TextFormat): (text: string) => boolean {
  return typeof format === 'function' ? format : (text) => format.refusal(text) === undefined;
}

export function withRefusals(errors: SchemaError[], formats: Record<string, TextFormat>): SchemaError[] {
  return errors.map((error) => {
    const format = error.keyword === 'format' ? formats[String(error.params.format)] : undefined;
    return typeof format === 'object' ? { ...error, refusal: format.refusal(String(error.data)) } : error;
  });
}

export const platformFormats: Record<string, TextFormat> = {
  uuid: (text) => /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$/i.test(text),
  'uuid-or-empty': (text) => text === '' || isUuid(text),
  date: isDay,
  // `Date.parse` alone would accept 30 February as 2 March, which the database then rejects.
  datetime: (text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  // An empty string clears the colour.
  'hex-colour': (text) => /^(#[0-9a-f]{6})?$/i.test(text),
  'https-url': (text) => /^https:\/\/./i.test(text) && URL.canParse(text),
  'boolean-text': (text) => /^(true|True|1|false|False|0)$/.test(text),
  'integer-text': (text) => /^-?\d{1,15}$/.test(text),
};
