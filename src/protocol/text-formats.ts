import { isDay } from '../platform/calendar.ts';
import type { TextFormat } from '../platform/http/text-formats.ts';
import { isUuid } from '../platform/id.ts';

/** Text formats of fields that several features have. */
export const protocolFormats: Record<string, TextFormat> = {
  uuid: (text) => /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$/i.test(text),
  'uuid-or-empty': (text) => text === '' || isUuid(text),
  date: isDay,
  datetime: isDatetime,
  // An empty string clears the colour.
  'hex-colour': (text) => /^(#[0-9a-f]{6})?$/i.test(text),
  'https-url': (text) => /^https:\/\/./i.test(text) && URL.canParse(text),
  'boolean-text': (text) => /^(true|True|1|false|False|0)$/.test(text),
  'integer-text': (text) => /^-?\d{1,15}$/.test(text),
};

/** `Date.parse` alone would accept 30 February as 2 March, which the database then rejects. */
export function isDatetime(text: string): boolean {
  return isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}
