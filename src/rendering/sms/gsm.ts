import type { CountryProfile } from '../../countries/profile.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';

/** The alphabet of text messages (GSM 03.38), additions of countries, and replacements for all other characters. */

/** In the order of the standard, without the escape character. */
const gsmAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Sent as an escape and a character, so each counts as two. */
const extension = '^{}\\[~]|€';

/** Letters of French, and the syllabics of Inuktitut, Cree and Ojibwe. */
const canadianLetters = `ÀÂÇÈÉÊËÎÏÔŒÙÛÜŸàâçèéêëîïôœùûüÿ${range(0x1400, 0x167f)}${range(0x18b0, 0x18ff)}`;

function range(first: number, last: number): string {
  return String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

const welshVowels = 'ÀÁÂÄÈÉÊËÌÍÎÏÒÓÔÖÙÚÛÜẀẂŴẄỲÝŶŸàáâäèéêëìíîïòóôöùúûüẁẃŵẅỳýŷÿ';

/** Characters that word processors insert, with plain characters that phones show as well. */
const typography: ReadonlyMap<string, string> = new Map([
  ...[...'\u2011\u2013\u2014\u2212'].map((dash) => [dash, '-'] as const),
  ...[...'‘’‚'].map((quote) => [quote, "'"] as const),
  ...[...'“”„'].map((quote) => [quote, '"'] as const),
  ...[...'\u00A0\u202F\t'].map((space) => [space, ' '] as const),
  ...[...'\u180E\u200B\u200C\u200D\u2060\uFEFF\u2028\u2029'].map((invisible) => [invisible, ''] as const),
  ['…', '...'],
]);
const lettersWithoutParts: ReadonlyMap<string, string> = new Map([
  ['Ł', 'L'],
  ['ł', 'l'],
]);

const extensionCharacter = characterClass(extension, 'g');

export function countExtensionCharacters(text: string): number {
  return text.match(extensionCharacter)?.length ?? 0;
}

/** The distinct characters of a text that make it cost more or cannot be sent. */
export interface NotableCharacters {
  /** Each counts as two characters. */
  double: string[];
  /** Any of these makes every part shorter. */
  ucs2: string[];
  /** Sent as a question mark. */
  lost: string[];
}

/** The characters that a text message may contain, and how others are replaced. */
export interface SmsAlphabet {
  /** Replaces characters, so that every character of the result can be sent. */
  downgrade(text: string): string;
  /** Must be called before characters are replaced. */
  needsUcs2(text: string): boolean;
  notable(text: string): NotableCharacters;
  /** The characters that make a message cost more, or the only ones that do not. */
  costly: { characters: string } | { allBut: string };
}

/** Enough for the letters of a few scripts. Limited, because anybody can send every character there is. */
const maxKnown = 4096;

/** Replaces what is not kept: one replacement per code point, `?` if there is no better one. */
function replacingAlphabet(keptLetters: string): SmsAlphabet {
  const kept = new Set(gsmAlphabet + extension + keptLetters);
  const outsideGsm = [...keptLetters].filter((letter) => !gsmAlphabet.includes(letter)).join('');
  const ucs2Character = outsideGsm === '' ? undefined : characterClass(outsideGsm, '');
  const notKept = new RegExp(`[^${classBody([...kept].join(''))}]`, 'gu');
  const known = new Map([...typography, ...lettersWithoutParts]);
  const replacement = (character: string) => {
    const found = known.get(character) ?? letterWithoutAccent(character, kept) ?? '?';
    // Cached, because decomposing letters is slow, and a text in another script is full of them.
    if (known.size < maxKnown) known.set(character, found);
    return found;
  };
  const downgrade = (text: string) => text.replace(notKept, replacement);
  return {
    downgrade,
    needsUcs2: (text) => ucs2Character?.test(text) === true,
    notable: (text) => {
      const characters = [...new Set(text)];
      return {
        double: characters.filter((character) => extension.includes(character)),
        ucs2: characters.filter((character) => outsideGsm.includes(character)),
        lost: characters.filter((character) => character !== '?' && downgrade(character) === '?'),
      };
    },
    costly: { characters: extension + outsideGsm },
  };
}

/** Keeps every character of every script, at the cost of UCS-2. Replaces only typography. */
function keepingAlphabet(): SmsAlphabet {
  const replaceable = [...typography.keys()].join('');
  const cheap = gsmAlphabet + replaceable;
  const replaced = characterClass(replaceable, 'gu');
  // Lone surrogates and control characters are not text.
  const unsendable = /[\p{Cs}\p{Cc}]/u;
  const lost = /(?![\n\r])[\p{Cs}\p{Cc}]/gu;
  const ucs2Character = new RegExp(`(?!${unsendable.source})[^${classBody(cheap + extension)}]`, 'u');
  const replacement = (character: string) => typography.get(character) ?? '?';
  // After composition, letters such as é are in the alphabet.
  const compose = (text: string) => text.normalize('NFC');
  return {
    downgrade: (text) => compose(text).replace(replaced, replacement).replace(lost, '?'),
    needsUcs2: (text) => ucs2Character.test(compose(text)),
    notable: (text) => {
      const characters = [...new Set(compose(text))];
      const ucs2 = characters.filter((character) => ucs2Character.test(character));
      return {
        // In UCS-2, characters of the extension count once.
        double: ucs2.length > 0 ? [] : characters.filter((character) => extension.includes(character)),
        ucs2,
        lost: characters.filter((character) => unsendable.test(character) && !cheap.includes(character)),
      };
    },
    costly: { allBut: cheap },
  };
}

const alphabets = new Map([
  ['gsm-welsh', replacingAlphabet(welshVowels)],
  ['gsm', replacingAlphabet('')],
  ['gsm-canadian', replacingAlphabet([...new Set(welshVowels + canadianLetters)].join(''))],
  ['keep-letters', keepingAlphabet()],
]);

/**
 * Returns an alphabet by its name in the country profile. A service in the dialect of GC Notify can write more, unless its country keeps
 * all characters.
 */
export function smsAlphabet(name: CountryProfile['sms']['alphabet'], dialect: ApiDialect = 'govuk'): SmsAlphabet {
  const alphabet = alphabets.get(dialect === 'gc' && name !== 'keep-letters' ? 'gsm-canadian' : name);
  if (!alphabet) throw new Error(`Unknown alphabet of text messages: ${name}`);
  return alphabet;
}

/** "Not equal", "not less" and similar characters decompose to their opposite, so they become question marks. */
const negation = '\u0338';

/** Applies one step of canonical decomposition: `ç` is c, `ế` is ê, the ångström sign is Å. There is no second step: `ắ` has no result. */
function letterWithoutAccent(character: string, kept: ReadonlySet<string>): string | undefined {
  const composed = character.normalize('NFC');
  if (composed !== character) return kept.has(composed) ? composed : undefined;
  const parts = [...character.normalize('NFD')];
  if (parts.length < 2 || parts.pop() === negation) return undefined;
  const base = parts.join('').normalize('NFC');
  return kept.has(base) ? base : undefined;
}

function characterClass(characters: string, flags: string): RegExp {
  return new RegExp(`[${classBody(characters)}]`, flags);
}

function classBody(characters: string): string {
  return characters.replace(/[\\\]^-]/g, '\\$&');
}
