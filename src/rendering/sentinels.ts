/*
 * A template is rendered once with a sentinel for each value, and the result is cut at the sentinels. To every rule a
 * sentinel looks like the value it replaces: for a phrase it is a word, for a URL it is a URL.
 */

export const maxSentinels = 9_999;

/** Pattern source for checking the text next to a sentinel. */
export const anySentinel = '(?:zqx\\d{4}xqz|https://zqu\\d{4}uqz)';
export const phraseSentinel = 'zqx(\\d{4})xqz';

export interface Sentinels {
  phrase: (slot: number) => string;
  address: (slot: number) => string;
  pattern: RegExp;
}

export const defaultSentinels: Sentinels = {
  phrase: (slot) => `zqx${fourDigits(slot)}xqz`,
  address: (slot) => `https://zqu${fourDigits(slot)}uqz`,
  pattern: /zqx(\d{4})xqz|https:\/\/zqu(\d{4})uqz/g,
};

/** To distinguish sentinels from text that looks like one: with these the text must be cut at the same places. */
export const otherSentinels: Sentinels = {
  phrase: (slot) => `kvw${fourDigits(slot)}wvk`,
  address: (slot) => `https://kvj${fourDigits(slot)}jvk`,
  pattern: /kvw(\d{4})wvk|https:\/\/kvj(\d{4})jvk/g,
};

function fourDigits(slot: number): string {
  return String(slot).padStart(4, '0');
}

/** `pieces[0]`, the value of `holes[0]`, `pieces[1]`, ... `pieces[n]`. */
export interface CutText {
  pieces: readonly string[];
  holes: readonly number[];
}

export function cutAtSentinels(text: string, { pattern }: Sentinels): CutText {
  const pieces: string[] = [];
  const holes: number[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(end, match.index));
    holes.push(Number(match[1] ?? match[2]));
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  return { pieces, holes };
}

/** The beginning of a text, with at least this many characters besides its values. */
export function shorten({ pieces, holes }: CutText, characters: number): CutText {
  let length = 0;
  let last = 0;
  for (; last < pieces.length; last++) {
    length += pieces[last]?.length ?? 0;
    if (length >= characters) break;
  }
  return { pieces: pieces.slice(0, last + 1), holes: holes.slice(0, last) };
}

export function fillHoles({ pieces, holes }: CutText, values: readonly string[]): string {
  let text = pieces[0] ?? '';
  for (let index = 0; index < holes.length; index++) {
    text += values[holes[index] ?? 0] ?? '';
    text += pieces[index + 1] ?? '';
  }
  return text;
}

/** The phrase sentinels that a text contains. */
export function phrasesIn(text: string): number[] {
  return Array.from(text.matchAll(new RegExp(phraseSentinel, 'g')), ({ 1: index }) => Number(index));
}
