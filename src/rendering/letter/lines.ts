import LineBreaker from 'linebreak';
import type { FontName } from '../pdf/letter-fonts.ts';
import type { LetterInline, PlaceholderStyle } from './model.ts';

export interface TextStyle {
  size: number;
  leading: number;
  bold?: boolean;
  uppercase?: boolean;
}

export interface LineRun {
  text: string;
  font: FontName;
  x: number;
  width: number;
  placeholder?: PlaceholderStyle;
}

/** One printed line. Its runs are adjacent; the last one may end in a space, which no width includes. */
export interface Line {
  runs: LineRun[];
  width: number;
}

/** Returns the width in points of shaped text in one font, including kerning and ligatures. */
export type Measure = (text: string, font: FontName, size: number) => number;

interface Span {
  start: number;
  end: number;
  font: FontName;
  placeholder?: PlaceholderStyle;
}

/** Breaks text into lines of a given width. A word wider than a line is broken between characters. */
export function breakLines(inlines: LetterInline[], style: TextStyle, width: number, measure: Measure): Line[] {
  const { text, spans } = flatten(inlines, style);
  if (!text.trim()) return [];
  const lines: Line[] = [];
  const widthOf = (start: number, end: number) =>
    piecesOf(spans, start, end).reduce((sum, p) => sum + measure(text.slice(p.start, p.end), p.font, style.size), 0);
  // The current line so far, from `lineStart` to `fits`; `used` includes its trailing spaces.
  let lineStart = 0;
  let fits = 0;
  let used = 0;
  const finish = (end: number) => {
    lines.push(lineOf(text, spans, lineStart, end, style.size, measure));
    lineStart = end;
    fits = end;
    used = 0;
  };

  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    const end = next.position;
    const overflows = () => used + widthOf(fits, trimmedEnd(text, fits, end)) > width;
    if (fits > lineStart && overflows()) finish(fits);
    while (overflows()) finish(longestPrefix(text, lineStart, end, (prefix) => widthOf(lineStart, prefix) <= width));
    used += widthOf(fits, end);
    fits = end;
    if (next.required && end < text.length) finish(end);
  }
  if (lineStart < text.length) finish(text.length);
  return lines;
}

function flatten(inlines: LetterInline[], style: TextStyle): { text: string; spans: Span[] } {
  const spans: Span[] = [];
  let text = '';
  for (const inline of inlines) {
    const raw = inline.kind === 'line-break' ? '\n' : printable(inline.text);
    const start = text.length;
    text += style.uppercase ? raw.toUpperCase() : raw;
    const font: FontName = style.bold || inline.kind === 'bold' ? 'bold' : 'regular';
    const placeholder = inline.kind === 'placeholder' ? inline.style : undefined;
    if (text.length > start) spans.push({ start, end: text.length, font, placeholder });
  }
  return { text, spans };
}

/** The font has glyphs for composed letters (ŵ as one character) and none for control characters. */
function printable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '');
}

function piecesOf(spans: Span[], start: number, end: number): Span[] {
  const pieces: Span[] = [];
  for (const span of spans) {
    if (span.end <= start || span.start >= end) continue;
    pieces.push({ ...span, start: Math.max(start, span.start), end: Math.min(end, span.end) });
  }
  return pieces;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && /[\s\u200b]/.test(text.charAt(last - 1)) && text.charAt(last - 1) !== '\u00a0') last--;
  return last;
}

function longestPrefix(text: string, start: number, end: number, fits: (end: number) => boolean): number {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  let best = start;
  for (const { index, segment } of segmenter.segment(text.slice(start, end))) {
    const candidate = start + index + segment.length;
    // Each line gets at least one character, however narrow it is: otherwise the loop would not end.
    if (best > start && !fits(candidate)) break;
    best = candidate;
  }
  return best;
}

function lineOf(text: string, spans: Span[], start: number, end: number, size: number, measure: Measure): Line {
  const inkEnd = trimmedEnd(text, start, end);
  const runs: LineRun[] = [];
  let x = 0;
  for (const piece of piecesOf(spans, start, inkEnd)) {
    const content = text.slice(piece.start, piece.end);
    const width = measure(content, piece.font, size);
    runs.push({
      text: content,
      font: piece.font,
      x,
      width,
      ...(piece.placeholder && { placeholder: piece.placeholder }),
    });
    x += width;
  }
  // Without a trailing space the last word of a line and the first of the next would be extracted as one word.
  const last = runs.at(-1);
  if (last && end > inkEnd && end < text.length) last.text += ' ';
  return { runs, width: x };
}
