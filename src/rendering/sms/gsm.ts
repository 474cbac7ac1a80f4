/** The alphabet of text messages (GSM 03.38), Welsh on top of it, and what becomes of every other character. */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Sent as an escape and a character: two places each. */
const EXTENSION = '^{}\\[~]|€';

const WELSH_VOWELS = 'ÀÁÂÄÈÉÊËÌÍÎÏÒÓÔÖÙÚÛÜẀẂŴẄỲÝŶŸàáâäèéêëìíîïòóôöùúûüẁẃŵẅỳýŷÿ';

/** Welsh letters that GSM does not have: kept all the same, at the price of sending the whole message as UCS-2. */
const WELSH_ONLY = [...WELSH_VOWELS].filter((letter) => !BASIC.includes(letter)).join('');

const KEPT = new Set(BASIC + EXTENSION + WELSH_VOWELS);

const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...[...'\u2011\u2013\u2014\u2212'].map((dash) => [dash, '-'] as const),
  ...[...'‘’‚'].map((quote) => [quote, "'"] as const),
  ...[...'“”„'].map((quote) => [quote, '"'] as const),
  ...[...'\u00A0\u202F\t'].map((space) => [space, ' '] as const),
  ...[...'\u180E\u200B\u200C\u200D\u2060\uFEFF\u2028\u2029'].map((invisible) => [invisible, ''] as const),
  ['…', '...'],
  ['Ł', 'L'],
  ['ł', 'l'],
]);

const EXTENSION_CHARACTER = characterClass(EXTENSION, 'g');
const WELSH_ONLY_CHARACTER = characterClass(WELSH_ONLY, '');
const NOT_KEPT = new RegExp(`[^${classBody([...KEPT].join(''))}]`, 'gu');

export function countExtensionCharacters(text: string): number {
  return text.match(EXTENSION_CHARACTER)?.length ?? 0;
}

export function needsUcs2(text: string): boolean {
  return WELSH_ONLY_CHARACTER.test(text);
}

/** Every character of the result can be sent. One replacement per code point, `?` where there is no better. */
export function downgrade(text: string): string {
  return text.replace(NOT_KEPT, downgradeCharacter);
}

function downgradeCharacter(character: string): string {
  return REPLACEMENTS.get(character) ?? letterWithoutAccent(character) ?? '?';
}

/** Not equal, not less and their like decompose to their opposite: better a question mark. */
const NEGATION = '\u0338';

/** One step of canonical decomposition: `ç` is c, `ế` is ê, the ångström sign is Å; not two steps, `ắ` is nothing. */
function letterWithoutAccent(character: string): string | undefined {
  const composed = character.normalize('NFC');
  if (composed !== character) return KEPT.has(composed) ? composed : undefined;
  const parts = [...character.normalize('NFD')];
  if (parts.length < 2 || parts.pop() === NEGATION) return undefined;
  const base = parts.join('').normalize('NFC');
  return KEPT.has(base) ? base : undefined;
}

function characterClass(characters: string, flags: string): RegExp {
  return new RegExp(`[${classBody(characters)}]`, flags);
}

function classBody(characters: string): string {
  return characters.replace(/[\\\]^-]/g, '\\$&');
}
