import {
  highlightCondition,
  highlightPlaceholder,
  highlightRedacted,
  keepPlaceholder,
  type Placeholder,
  redactPlaceholder,
  type Unfilled,
} from './placeholders.ts';

/** A placeholder that has no value and shall be seen in the result, marked as such. */
export type OpenPlaceholder = { style: 'plain' | 'conditional' | 'redacted'; placeholder: Placeholder };

const MARK = /\uFDD0(\d+)\uFDD1/g;

/**
 * Puts a mark into the text that no Markdown rule reacts to and notes what it stands for, so that a name full of
 * brackets does not change how the text around it is read. Of a conditional placeholder only the opening is marked.
 */
export function markOpenPlaceholders(open: OpenPlaceholder[], redact = false): Unfilled {
  return (placeholder) => {
    const mark = `\uFDD0${open.length}\uFDD1`;
    const isConditional = placeholder.text !== null && !redact;
    open.push({ style: redact ? 'redacted' : isConditional ? 'conditional' : 'plain', placeholder });
    return isConditional ? `${mark}${placeholder.text}))` : mark;
  };
}

/** Where a mark cannot be shown, in an address for example, the placeholder is printed as it was written. */
export function unmark(text: string, open: readonly OpenPlaceholder[]): string {
  if (open.length === 0) return text;
  return text.replace(MARK, (mark, index: string) => {
    const found = open[Number(index)];
    return found ? printOpening(found) : mark;
  });
}

export function printOpening({ style, placeholder }: OpenPlaceholder): string {
  if (style === 'redacted') return redactPlaceholder(placeholder);
  return style === 'plain' ? keepPlaceholder(placeholder) : `((${placeholder.name}??`;
}

export function highlightOpening({ style, placeholder }: OpenPlaceholder): string {
  if (style === 'redacted') return highlightRedacted(placeholder);
  return style === 'plain' ? highlightPlaceholder(placeholder) : highlightCondition(placeholder.name);
}

/** The text between marks as strings, in their places the open placeholders. */
export function splitAtMarks(text: string, open: readonly OpenPlaceholder[]): (string | OpenPlaceholder)[] {
  if (open.length === 0) return text === '' ? [] : [text];
  return text
    .split(MARK)
    .map((part, index) => (index % 2 === 0 ? part : (open[Number(part)] ?? '')))
    .filter((part) => part !== '');
}
