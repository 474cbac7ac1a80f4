// Invisible characters in pasted text. Zero-width ones are removed; the two wide ones become a space.
const zeroWidthCharacters = '\u180E\u200B\u200C\u200D\u2060\uFEFF\u2028\u2029';
const wideCharacters = '\u00A0\u202F';

const zeroWidth = new RegExp(`[${zeroWidthCharacters}]`, 'gu');
const wide = new RegExp(`[${wideCharacters}]`, 'gu');
const obscure = new RegExp(`[${zeroWidthCharacters}${wideCharacters}]`, 'gu');
const everyKind = new RegExp(`[ \\t\\n\\v\\f\\r${zeroWidthCharacters}${wideCharacters}]`, 'gu');
const runs = /\p{White_Space}+/gu;
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** A recipient as stored: without outer whitespace and invisible characters, with inner punctuation. */
export function cleanRecipient(text: string): string {
  return text.replace(obscure, '').trim();
}

export function removeWhitespace(text: string): string {
  return text.replace(everyKind, '');
}

/** A single line: without invisible characters, runs of whitespace collapsed to one space, trimmed. */
export function normaliseWhitespace(line: string): string {
  if (line === '') return line;
  return line.replace(wide, ' ').replace(zeroWidth, '').replace(runs, ' ').trim();
}

export function splitLines(text: string): string[] {
  return text.split(lineBreak);
}
