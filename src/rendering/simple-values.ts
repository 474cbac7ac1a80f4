import { isSwitchedOn, type Personalisation, valueToText } from './personalisation.ts';
import { type CompiledText, readValues, type Slots } from './placeholders.ts';

/*
 * Values without meaning to Markdown, typography or URL detection in any context. Most values are simple: names, dates,
 * times, amounts, references, email addresses, and complete URLs.
 */

const letterSource = '[A-Za-z0-9\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u024F]';
const part = `[£€]?${letterSource}+`;
/**
 * Starts with a letter, digit or currency and ends with a letter or digit: no space, dash or dot touches adjacent text.
 */
const phrasePattern = new RegExp(`^${part}(?:(?:[,.]? | & |[-./:@])${part})*$`);
const govUk = /gov\.uk/i;
/** Only characters that an `href` keeps unchanged, none that ends a URL, and no second scheme. */
const address = /^https?:\/\/(?!.*:\/\/)[A-Za-z0-9][A-Za-z0-9_.\-:/?#=&%]*[A-Za-z0-9_\-/=]$/;

export function isPhrase(text: string): boolean {
  return phrasePattern.test(text) && !govUk.test(text);
}

export function isAddress(text: string): boolean {
  return address.test(text);
}

/** Per slot: a phrase, a URL, an empty string, or a condition that is on or off. */
type SlotKind = 'p' | 'a' | 'e' | '1' | '0';

/** The values of a message. Messages of the same shape differ only in the texts of phrases and URLs. */
interface SimpleValues {
  shape: string;
  texts: string[];
}

/** How a template uses a slot. A slot that is both printed and a condition has no simple value. */
type SlotUse = 'text' | 'condition' | 'both';

export function slotUses(slots: Slots, ...contents: CompiledText[]): SlotUse[] {
  const uses: SlotUse[] = new Array(slots.names.length).fill('text');
  const seen = new Set<number>();
  for (const { slot, text } of contents.flatMap(({ placeholders }) => placeholders)) {
    const use = text === null ? 'text' : 'condition';
    uses[slot] = seen.has(slot) && uses[slot] !== use ? 'both' : use;
    seen.add(slot);
  }
  return uses;
}

/** Undefined if a value is missing or not simple. */
export function readSimpleValues(
  slots: Slots,
  uses: readonly SlotUse[],
  personalisation: Personalisation,
): SimpleValues | undefined {
  // In HTML `&#97;` as a key is the placeholder `a`, in text it is not.
  for (const key in personalisation) if (key.includes('&')) return undefined;
  const texts: string[] = [];
  let shape = '';
  const values = readValues(slots, personalisation);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    const text = typeof value === 'string' ? value : printsInOneWay(value) ? valueToText(value, 'inline') : undefined;
    const kind = kindOf(value, text, uses[slot]);
    if (kind === undefined) return undefined;
    shape += kind;
    texts.push(text ?? '');
  }
  return { shape, texts };
}

function kindOf(value: unknown, text: string | undefined, use: SlotUse | undefined): SlotKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (use === 'condition') return isSwitchedOn(value) ? '1' : '0';
  if (text === undefined || use !== 'text') return undefined;
  if (text === '') return 'e';
  if (isPhrase(text)) return 'p';
  return isAddress(text) ? 'a' : undefined;
}

/** Lists are printed differently in a subject and in a body. */
function printsInOneWay(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
