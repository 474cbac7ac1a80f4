import { invisibleCharacters } from '../../protocol/whitespace.ts';

// Whitespace in the sense of Unicode (\s lacks U+0085 and the separators U+001C to U+001F), and what cannot be seen.
const blankCharacters = `\\s\\x1c-\\x1f\\x85${invisibleCharacters}`;
const blankOnly = new RegExp(`^[${blankCharacters}]*$`, 'u');
const blankStart = new RegExp(`^[${blankCharacters}]+`, 'u');
const blankOrComma = new RegExp(`[,${blankCharacters}]`, 'u');

export function isBlank(text: string): boolean {
  return blankOnly.test(text);
}

export function withoutBlankStart(text: string): string {
  return text.replace(blankStart, '');
}

/** Commas too: at the end of a file they are empty cells. Characters before `from` stay. */
export function withoutBlankEnd(text: string, from: number): string {
  let end = text.length;
  while (end > from && blankOrComma.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
