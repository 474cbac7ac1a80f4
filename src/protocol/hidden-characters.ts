import { forApi, type Text, t } from '../language/text.ts';

/**
 * Control characters and those that show nothing: marks that reverse the text around them, zero-width spaces, soft hyphens. A name that
 * contains them reads like another one. The first group keeps what people need:
 * - U+200C and U+200D after a letter or mark of a script that joins letters, such as Arabic (Persian) and the scripts of India. Without
 *   them, words are spelt wrongly. Nothing joins in Latin, Greek and Cyrillic, where they would only hide;
 * - U+200D between emoji, and the letters that make the black flag that of England, Scotland or Wales.
 */
const hidden =
  /((?<=(?!\p{scx=Latin}|\p{scx=Greek}|\p{scx=Cyrillic}|\p{scx=Zyyy}|\p{scx=Zinh})[\p{L}\p{M}])[\u200C\u200D]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\uFE0F)\u200D(?=\p{Extended_Pictographic})|(?<=\u{1F3F4})[\u{E0061}-\u{E007A}]{5}\u{E007F})|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** For what is not refused because others wrote it: subjects, and the names of files. */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(hidden, (_, kept: string | undefined) => kept ?? '');
}

const refusal = forApi(
  'Must not contain control characters or characters that are not visible.',
  t('Type the name instead of pasting it. It contains invisible characters.'),
);

export function refusalOfHiddenCharacters(name: string): Text | undefined {
  return withoutHiddenCharacters(name) === name ? undefined : refusal;
}
