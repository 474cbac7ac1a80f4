import { comparableKey, type Personalisation } from './personalisation.ts';

/** What a value was and what it became, by its key. */
type SanitisedContent = Record<string, { unsanitised: unknown; sanitised: unknown }>;

/**
 * Takes links and Markdown out of the values that came from strangers, so that nobody can write an email in the name
 * of a service by signing up as `[click here](https://evil.example)`. Texts and lists of texts are looked at.
 */
export function sanitisePersonalisation(
  personalisation: Personalisation,
  names: readonly string[],
): { personalisation: Personalisation; sanitised_content: SanitisedContent } {
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
 * With or without a scheme. A match begins only where a run of the characters of a host name begins: trying again from
 * within the run could find little and would read a long one once for each of its letters.
 */
const HOST = '(?:[\\p{L}\\p{N}_-]+\\.)+[a-z]{2,63}(?![\\p{L}\\p{N}_@])';
const URL = new RegExp(
  `(?<![\\p{L}\\p{N}_@.-])(?:(?:https?://)?${HOST}(?:[/?#][^<\\s]*)?|https?://[^\\s<>()[\\]]+)`,
  'giu',
);
/** What is left of an address that was no match, inside a word perhaps, must not link either. */
const SCHEME = /https?:(?=\/\/)/gi;
const HARMLESS = /^[\p{L}\p{N}.-]*$/u;
const MARKDOWN = /[`*_()\\{}[\]<>#+\-.!|]/g;

/** A name such as `Marie.Curie` only looks like an address: a space after the dot is enough to keep it from linking. */
export function sanitiseText(text: string): string {
  const unlinked = text.replace(URL, (url) => (HARMLESS.test(url) ? url.replaceAll('.', '. ') : ''));
  return unlinked.replace(SCHEME, '$& ').replace(MARKDOWN, '\\$&');
}
