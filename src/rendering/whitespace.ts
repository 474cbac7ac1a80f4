/** Characters without any width, left behind by editors and chat programs; nobody means to send one. */
const INVISIBLE = /[\u180E\u200B-\u200D\u2028\u2029\u2060\uFEFF]/g;

const UNTIDY = /[^\x20-\x7E]| {2}|^ | $/;

export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/** One space for every run of whitespace (line breaks too), none at the ends, nothing invisible. */
export function collapseWhitespace(text: string): string {
  if (!UNTIDY.test(text)) return text;
  return removeInvisible(text).replace(/\s+/g, ' ').trim();
}

/**
 * `Hello ,` becomes `Hello,`: an empty value often leaves such a gap behind. The look-behind lets a match begin only
 * where a run of spaces begins, so a megabyte of spaces is read once and not once per space.
 */
export function removeSpaceBeforePunctuation(text: string): string {
  if (!/[ \t][,.]/.test(text)) return text;
  return text.replace(/(?<![ \t])[ \t]+(?=[,.])/g, '');
}

/** A pattern such as `/ +$/` would begin again at every space of a long run. */
export function trimEndOf(character: string, text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}
