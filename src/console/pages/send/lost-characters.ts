/** Says what becomes of the characters that a text message cannot carry. */
export function describeLost(characters: readonly string[]): string {
  return characters.length === 1
    ? `Texts cannot include ${characters[0]}. It will be sent as a question mark.`
    : `Texts cannot include ${characters.join(' ')}. They will be sent as question marks.`;
}
