import type { Personalisation } from '../personalisation.ts';
import { type CompiledText, fillText, keepPlaceholder } from '../placeholders.ts';
import { defaultSentinels, maxSentinels, otherSentinels, type Sentinels } from '../sentinels.ts';
import { isAddress, readSimpleValues, slotUses } from '../simple-values.ts';
import { type EmailContents, type EmailTexts, renderTexts } from './email.ts';
import { cutOutline, type EmailOutline, fillOutline, sentinelValues } from './outline.ts';

/** A template with three conditions has eight shapes. Further shapes are rendered in full. */
const maxShapes = 16;

/** Longer templates get no outline: making one takes four times as long as rendering a message. */
export const maxOutlinedLength = 100_000;

/** Maximum characters of all outlines of one template, by the length of its texts. */
export function maxOutlineCharacters(sourceLength: number): number {
  return 10_000 + 10 * sourceLength;
}

/**
 * Renders a template from outlines, one per shape of message, created with the first message of that shape. The
 * renderer returns undefined for messages that need the full rendering.
 */
export function outlineRenderer(
  text: EmailContents,
  html: () => EmailContents,
): (personalisation: Personalisation, unsubscribeLink: string | null | undefined) => EmailTexts | undefined {
  const { slots } = text.content;
  const length = text.subject.length + text.content.length;
  if (length > maxOutlinedLength || slots.names.length >= maxSentinels) return () => undefined;
  if (slots.names.some((name) => /[&<>]/.test(name))) return () => undefined;
  const uses = slotUses(slots, text.subject, text.content);
  const outlines = new Map<string, EmailOutline | undefined>();
  let charactersLeft = maxOutlineCharacters(length);

  const makeOutline = (shape: string, hasLink: boolean) => {
    // Entities may spell a placeholder that exists only in HTML.
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
    // Before the rest of the work: a thousand lines of lists become a hundred times as much HTML.
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
