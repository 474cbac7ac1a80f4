import { type Text, t } from '../../../language/text.ts';
/** Says what becomes of the characters that a text message cannot carry. */
export function describeLost(characters: readonly string[]): Text {
  return t(
    '{count, plural, one {Texts cannot include {characters}. It will be sent as a question mark.} other {Texts cannot include {characters}. They will be sent as question marks.}}',
    { count: characters.length, characters: characters.join(' ') },
  );
}
