import { invisibleCharacters } from '../protocol/whitespace.ts';

const wideCharacters = '\u00A0\u202F';

const obscure = new RegExp(`[${invisibleCharacters}${wideCharacters}]`, 'gu');
const everyKind = new RegExp(`[ \\t\\n\\v\\f\\r${invisibleCharacters}${wideCharacters}]`, 'gu');
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** Returns a recipient as stored: without surrounding whitespace and invisible characters, but with inner punctuation. */
export function cleanRecipient(text: string): string {
  return text.replace(obscure, '').trim();
}

export function removeWhitespace(text: string): string {
  return text.replace(everyKind, '');
}

export function splitLines(text: string): string[] {
  return text.split(lineBreak);
}
