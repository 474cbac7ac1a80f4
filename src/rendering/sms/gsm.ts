/** The alphabet of text messages (GSM 03.38), plus Welsh, and the replacements of all other characters. */

/** In the order of the standard, without the escape. */
const gsmAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Sent as an escape and a character: they count as two. */
const extension = '^{}\\[~]|€';

const welshVowels = 'ÀÁÂÄÈÉÊËÌÍÎÏÒÓÔÖÙÚÛÜẀẂŴẄỲÝŶŸàáâäèéêëìíîïòóôöùúûüẁẃŵẅỳýŷÿ';

/** Welsh letters that GSM lacks: kept, at the price of sending the whole message as UCS-2. */
const welshOnly = [...welshVowels].filter((letter) => !gsmAlphabet.includes(letter)).join('');

const keptCharacters = new Set(gsmAlphabet + extension + welshVowels);

const replacementByCharacter: ReadonlyMap<string, string> = new Map([
  ...[...'\u2011\u2013\u2014\u2212'].map((dash) => [dash, '-'] as const),
  ...[...'‘’‚'].map((quote) => [quote, "'"] as const),
  ...[...'“”„'].map((quote) => [quote, '"'] as const),
  ...[...'\u00A0\u202F\t'].map((space) => [space, ' '] as const),
  ...[...'\u180E\u200B\u200C\u200D\u2060\uFEFF\u2028\u2029'].map((invisible) => [invisible, ''] as const),
  ['…', '...'],
  ['Ł', 'L'],
  ['ł', 'l'],
]);

const extensionCharacter = characterClass(extension, 'g');
const welshOnlyCharacter = characterClass(welshOnly, '');
const notKept = new RegExp(`[^${classBody([...keptCharacters].join(''))}]`, 'gu');

export function countExtensionCharacters(text: string): number {
  return text.match(extensionCharacter)?.length ?? 0;
}

export function needsUcs2(text: string): boolean {
  return welshOnlyCharacter.test(text);
}

/** Characters that make a text message dearer. */
export const dearCharacters = extension + welshOnly;

/** The characters of a text that make it dearer or that no phone gets, each once. */
interface NotableCharacters {
  /** Counted twice. */
  double: string[];
  /** One of them makes every part shorter. */
  ucs2: string[];
  /** Sent as a question mark. */
  lost: string[];
}

export function notableCharacters(text: string): NotableCharacters {
  const characters = [...new Set(text)];
  return {
    double: characters.filter((character) => extension.includes(character)),
    ucs2: characters.filter((character) => welshOnly.includes(character)),
    lost: characters.filter((character) => character !== '?' && downgrade(character) === '?'),
  };
}

/** Every character of the result can be sent. One replacement per code point, `?` if there is no better one. */
export function downgrade(text: string): string {
  return text.replace(notKept, downgradeCharacter);
}

function downgradeCharacter(character: string): string {
  return replacementByCharacter.get(character) ?? letterWithoutAccent(character) ?? '?';
}

/** "Not equal", "not less" and the like decompose to their opposite: replace them with a question mark. */
const negation = '\u0338';

/**
 * One step of canonical decomposition: `ç` is c, `ế` is ê, the ångström sign is Å; not two steps: `ắ` has no result.
 */
function letterWithoutAccent(character: string): string | undefined {
  const composed = character.normalize('NFC');
  if (composed !== character) return keptCharacters.has(composed) ? composed : undefined;
  const parts = [...character.normalize('NFD')];
  if (parts.length < 2 || parts.pop() === negation) return undefined;
  const base = parts.join('').normalize('NFC');
  return keptCharacters.has(base) ? base : undefined;
}

function characterClass(characters: string, flags: string): RegExp {
  return new RegExp(`[${classBody(characters)}]`, flags);
}

function classBody(characters: string): string {
  return characters.replace(/[\\\]^-]/g, '\\$&');
}
