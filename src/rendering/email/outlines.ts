import { type Conditions, isSwitchedOn, type Personalisation, valueToText } from '../personalisation.ts';
import { type CompiledText, fillText, keepPlaceholder, readValues, type Slots } from '../placeholders.ts';
import { type EmailContents, type EmailTexts, renderTexts } from './email.ts';
import {
  cutOutline,
  defaultSentinels,
  type EmailOutline,
  fillOutline,
  maxSentinels,
  otherSentinels,
  type Sentinels,
  sentinelValues,
} from './outline.ts';

/** A template with three conditions has eight shapes. Shapes beyond this number are rendered in full. */
const maxShapes = 16;

/** Longer templates get no outline: making one takes four times as long as rendering a message. */
export const maxOutlinedLength = 100_000;

/** Returns the max characters of all outlines of one template, by the length of its texts. */
export function maxOutlineCharacters(sourceLength: number): number {
  return 10_000 + 10 * sourceLength;
}

/**
 * Renders a template from outlines. The first message of each shape creates the outline of that shape. The renderer returns undefined for
 * messages that need the full rendering.
 */
export function outlineRenderer(
  text: EmailContents,
  html: () => EmailContents,
): (personalisation: Personalisation, unsubscribeLink: string | null | undefined) => EmailTexts | undefined {
  const { slots } = text.content;
  const length = text.subject.length + text.content.length;
  if (length > maxOutlinedLength || slots.names.length >= maxSentinels) return () => undefined;
  if (slots.names.some((name) => /[&<>]/.test(name))) return () => undefined;
  // The characters of a value next to a mark determine where emphasis ends.
  if (slots.dialect === 'gc' && text.content.plain.some((piece) => /[_`~]|\*[\S]/.test(piece))) return () => undefined;
  const uses = slotUses(slots, text.subject, text.content);
  const outlines = new Map<string, EmailOutline | undefined>();
  let charactersLeft = maxOutlineCharacters(length);

  const makeOutline = (shape: string, hasLink: boolean) => {
    // Entities may form a placeholder that exists only in HTML.
    if (html().content.slots.names.join() !== slots.names.join()) return undefined;
    const renderWith = (sentinels: Sentinels) => {
      const values = sentinelValues(shape, sentinels).map((value, slot) => [slots.names[slot], value]);
      const personalisation: Personalisation = Object.fromEntries(values);
      const filled = {
        subjects: [fill(text.subject, personalisation), fill(html().subject, personalisation)],
        contents: [fill(text.content, personalisation), fill(html().content, personalisation)],
      };
      const unsubscribe_link = hasLink ? sentinels.address(slots.names.length) : null;
      return { filled, texts: renderTexts(text, html(), personalisation, { unsubscribe_link }) };
    };
    const rendered = renderWith(defaultSentinels);
    const characters = Object.values(rendered.texts).reduce((sum, { length }) => sum + length, 0);
    // Checked before the rest of the work: a thousand lines of lists become a hundred times as much HTML.
    if (characters > charactersLeft) return undefined;
    const outline = cutOutline(rendered, renderWith(otherSentinels).texts);
    if (outline) charactersLeft -= characters;
    return outline;
  };

  return (personalisation, unsubscribeLink) => {
    if (unsubscribeLink && !isAddress(unsubscribeLink)) return undefined;
    const simple = readSimpleValues(slots, uses, personalisation);
    if (!simple) return undefined;
    const key = unsubscribeLink ? `${simple.shape}u` : simple.shape;
    let outline = outlines.get(key);
    if (!outline) {
      if (outlines.has(key) || outlines.size >= maxShapes) return undefined;
      outline = makeOutline(simple.shape, Boolean(unsubscribeLink));
      outlines.set(key, outline);
      if (!outline) return undefined;
    }
    simple.texts.push(unsubscribeLink ?? '');
    return fillOutline(outline, simple.texts);
  };
}

function fill(text: CompiledText, values: Personalisation): string {
  return fillText(text, values, { lists: 'inline', unfilled: keepPlaceholder });
}

/*
 * Simple values mean nothing to Markdown, typography or URL detection in any context. Most values are simple: names, dates, times, amounts,
 * references, email addresses, and complete URLs.
 */

const letterSource = '[A-Za-z0-9\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u024F]';
const part = `[£€]?${letterSource}+`;
/** Begins with a letter, digit or currency sign and ends with a letter or digit, so that no space, dash or dot touches adjacent text. */
const phrasePattern = new RegExp(`^${part}(?:(?:[,.]? | & |[-./:@])${part})*$`);
const govUk = /gov\.uk/i;
/** Only characters that an `href` keeps unchanged and that do not end a URL, and no second scheme. */
const address = /^https?:\/\/(?!.*:\/\/)[A-Za-z0-9][A-Za-z0-9_.\-:/?#=&%]*[A-Za-z0-9_\-/=]$/;

export function isPhrase(text: string): boolean {
  return phrasePattern.test(text) && !govUk.test(text);
}

export function isAddress(text: string): boolean {
  return address.test(text);
}

/** The kind of a slot's value: a phrase, a URL, an empty string, or a condition that is on or off. */
type SlotKind = 'p' | 'a' | 'e' | '1' | '0';

/** The values of a message. Messages of the same shape differ only in the texts of phrases and URLs. */
interface SimpleValues {
  shape: string;
  texts: string[];
}

/** How a template uses a slot. A slot that is both printed and a condition has no simple value. */
type SlotUse = 'text' | 'condition' | 'both';

function slotUses(slots: Slots, ...contents: CompiledText[]): SlotUse[] {
  const uses: SlotUse[] = new Array(slots.names.length).fill('text');
  const seen = new Set<number>();
  for (const { slot, text } of contents.flatMap(({ placeholders }) => placeholders)) {
    const use = text === null ? 'text' : 'condition';
    uses[slot] = seen.has(slot) && uses[slot] !== use ? 'both' : use;
    seen.add(slot);
  }
  return uses;
}

/** Returns undefined if a value is missing or not simple. */
function readSimpleValues(
  slots: Slots,
  uses: readonly SlotUse[],
  personalisation: Personalisation,
): SimpleValues | undefined {
  // In HTML, `&#97;` as a key is the placeholder `a`; in text it is not.
  for (const key in personalisation) if (key.includes('&')) return undefined;
  const texts: string[] = [];
  let shape = '';
  const values = readValues(slots, personalisation);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    const text = typeof value === 'string' ? value : printsInOneWay(value) ? valueToText(value, 'inline') : undefined;
    const kind = kindOf(value, text, uses[slot], slots.conditions);
    if (kind === undefined) return undefined;
    shape += kind;
    texts.push(text ?? '');
  }
  return { shape, texts };
}

function kindOf(
  value: unknown,
  text: string | undefined,
  use: SlotUse | undefined,
  conditions: Conditions,
): SlotKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (use === 'condition') return isSwitchedOn(value, conditions) ? '1' : '0';
  if (text === undefined || use !== 'text') return undefined;
  if (text === '') return 'e';
  if (isPhrase(text)) return 'p';
  return isAddress(text) ? 'a' : undefined;
}

/** Lists are printed differently in a subject and in a body. */
function printsInOneWay(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
