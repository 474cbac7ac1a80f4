import { comparableKey } from '../protocol/comparable-key.ts';
import type { Personalisation } from './personalisation.ts';

/** The original and the sanitised value, by key. */
type SanitisedContent = Record<string, { unsanitised: unknown; sanitised: unknown }>;

/**
 * Removes links and Markdown from untrusted strings and lists of strings, so that an attacker cannot write an email in the name of a
 * service by signing up as `[click here](https://evil.example)`.
 */
export function sanitisePersonalisation(
  personalisation: Personalisation,
  names: readonly string[],
): { personalisation: Personalisation; sanitised_content: SanitisedContent } {
  if (names.length === 0) return { personalisation, sanitised_content: {} };
  const keys = new Set(names.map(comparableKey));
  const sanitised_content: SanitisedContent = {};
  const entries = Object.entries(personalisation).map(([name, unsanitised]): [string, unknown] => {
    if (!keys.has(comparableKey(name))) return [name, unsanitised];
    const sanitised = sanitiseValue(unsanitised);
    if (JSON.stringify(sanitised) !== JSON.stringify(unsanitised)) {
      Object.defineProperty(sanitised_content, name, { value: { unsanitised, sanitised }, enumerable: true });
    }
    return [name, sanitised];
  });
  return { personalisation: Object.fromEntries(entries), sanitised_content };
}

function sanitiseValue(value: unknown): unknown {
  if (typeof value === 'string') return sanitiseText(value);
  return Array.isArray(value) ? value.map(sanitiseValue) : value;
}

/**
 * The scheme is optional. A match starts only where a run of host name characters starts: retrying within a run would find little and would
 * read a long run once for each of its letters.
 */
const hostSource = '(?:[\\p{L}\\p{N}_-]+\\.)+[a-z]{2,63}(?![\\p{L}\\p{N}_@])';
const urlPattern = new RegExp(
  `(?<![\\p{L}\\p{N}_@.-])(?:(?:https?://)?${hostSource}(?:[/?#][^<\\s]*)?|https?://[^\\s<>()[\\]]+)`,
  'giu',
);
/** The rest of a URL that did not match, perhaps inside a word, must not become a link either. */
const schemePattern = /https?:(?=\/\/)/gi;
const harmless = /^[\p{L}\p{N}.-]*$/u;
const markdown = /[`*_()\\{}[\]<>#+\-.!|]/g;

/** A name such as `Marie.Curie` only looks like a URL: a space after the dot prevents it from linking. */
export function sanitiseText(text: string): string {
  const unlinked = text.replace(urlPattern, (url) => (harmless.test(url) ? url.replaceAll('.', '. ') : ''));
  return unlinked.replace(schemePattern, '$& ').replace(markdown, '\\$&');
}
