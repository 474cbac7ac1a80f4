import {
  highlightCondition,
  highlightPlaceholder,
  highlightRedacted,
  keepPlaceholder,
  type Placeholder,
  redactPlaceholder,
  type Unfilled,
} from './placeholders.ts';

/** A placeholder without a value that is shown, highlighted, in the result. */
export interface OpenPlaceholder {
  style: 'plain' | 'conditional' | 'redacted';
  placeholder: Placeholder;
}

const markPattern = /\uFDD0(\d+)\uFDD1/g;

/**
 * Puts a mark into the text that no Markdown rule matches and records its placeholder, so that brackets in a name do
 * not change how the text is parsed. Of a conditional placeholder only the opening is marked.
 */
export function markOpenPlaceholders(open: OpenPlaceholder[], redact = false): Unfilled {
  return (placeholder) => {
    const mark = `\uFDD0${open.length}\uFDD1`;
    const isConditional = placeholder.text !== null && !redact;
    open.push({ style: redact ? 'redacted' : isConditional ? 'conditional' : 'plain', placeholder });
    return isConditional ? `${mark}${placeholder.text}))` : mark;
  };
}

/** Where a mark cannot be shown, for example in a URL, the placeholder is printed as written. */
export function unmark(text: string, open: readonly OpenPlaceholder[]): string {
  if (open.length === 0) return text;
  return text.replace(markPattern, (mark, index: string) => {
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

/** The text between marks as strings, with the unfilled placeholders in their places. */
export function splitAtMarks(text: string, open: readonly OpenPlaceholder[]): (string | OpenPlaceholder)[] {
  if (open.length === 0) return text === '' ? [] : [text];
  return text
    .split(markPattern)
    .map((part, index) => (index % 2 === 0 ? part : (open[Number(part)] ?? '')))
    .filter((part) => part !== '');
}
