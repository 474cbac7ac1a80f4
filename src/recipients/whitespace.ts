// Characters that pasted text carries unseen. Zero-width ones vanish; the two wide ones stand for a space.
const ZERO_WIDTH = '\u180E\u200B\u200C\u200D\u2060\uFEFF\u2028\u2029';
const WIDE = '\u00A0\u202F';

const zeroWidth = new RegExp(`[${ZERO_WIDTH}]`, 'gu');
const wide = new RegExp(`[${WIDE}]`, 'gu');
const obscure = new RegExp(`[${ZERO_WIDTH}${WIDE}]`, 'gu');
const everyKind = new RegExp(`[ \\t\\n\\v\\f\\r${ZERO_WIDTH}${WIDE}]`, 'gu');
const runs = /\p{White_Space}+/gu;
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** A recipient as it is stored: outer white space and all unseen characters gone, inner punctuation kept. */
export function cleanRecipient(text: string): string {
  return text.replace(obscure, '').trim();
}

export function removeWhitespace(text: string): string {
  return text.replace(everyKind, '');
}

/** One line: unseen characters gone, runs of white space one space, none outside. */
export function normaliseWhitespace(line: string): string {
  if (line === '') return line;
  return line.replace(wide, ' ').replace(zeroWidth, '').replace(runs, ' ').trim();
}

export function splitLines(text: string): string[] {
  return text.split(lineBreak);
}
