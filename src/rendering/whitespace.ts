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
