/** Zero-width characters, left behind by editors and chat programs and never intended. */
const invisiblePattern = /[\u180E\u200B-\u200D\u2028\u2029\u2060\uFEFF]/g;

const untidy = /[^\x20-\x7E]| {2}|^ | $/;

export function removeInvisible(text: string): string {
  return text.replace(invisiblePattern, '');
}

/** Collapses every run of whitespace (including line breaks) to one space, trims, and removes invisible characters. */
export function collapseWhitespace(text: string): string {
  if (!untidy.test(text)) return text;
  return removeInvisible(text).replace(/\s+/g, ' ').trim();
}

/**
 * `Hello ,` becomes `Hello,`: an empty value often leaves such a gap. The look-behind lets a match start only where a
 * run of spaces starts, so a megabyte of spaces is read once and not once per space.
 */
export function removeSpaceBeforePunctuation(text: string): string {
  if (!/[ \t][,.]/.test(text)) return text;
  return text.replace(/(?<![ \t])[ \t]+(?=[,.])/g, '');
}

/** A pattern such as `/ +$/` would restart at every space of a long run. */
export function trimEndOf(character: string, text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}
