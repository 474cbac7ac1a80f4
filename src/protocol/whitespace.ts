/** Zero-width characters that editors and chat programs leave behind, and nobody intends. */
export const invisibleCharacters = '\u180E\u200B\u200C\u200D\u2028\u2029\u2060\uFEFF';

const invisible = new RegExp(`[${invisibleCharacters}]`, 'gu');
const untidy = /[^\x20-\x7E]| {2}|^ | $/;

export function removeInvisible(text: string): string {
  return text.replace(invisible, '');
}

/** Collapses every run of whitespace (including line breaks) to one space, trims, and removes invisible characters. */
export function collapseWhitespace(text: string): string {
  if (!untidy.test(text)) return text;
  return removeInvisible(text).replace(/\s+/g, ' ').trim();
}
