import { type OpenPlaceholder, splitAtMarks, unmark } from '../placeholders.ts';
import { trimEndOf } from '../typography.ts';
import type { MarkdownInline } from './tree.ts';

export interface InlineGrammar {
  /** Letters have no links: `[text](url)` stays literal there. */
  links: boolean;
  /** The placeholders that marks in the text represent. */
  open: readonly OpenPlaceholder[];
  /** Whether `**`, `__`, `*` and `_` emphasise. If so, code and strikethrough lose their marks. */
  emphasis?: boolean;
}

const specialPattern = /[\\\n[]|!\[|https?:\/\//g;
const specialWithEmphasis = /[\\\n[*_`~]|!\[|https?:\/\//g;

/** Includes `<` and `>`, escaped or not: a sanitised value has a backslash before them. */
const escapable = /[\\`*{}[\]()#+\-.!_<>~|]|&[lg]t;/y;

/** Allowed inside a URL but not at its end. */
const notAtEndOfUrl = '.,:"\')]';
const urlEnd = /[\s<]/g;

const hasSpecial = /[\\\n[\uFDD0]|https?:\/\//;
const hasEmphasis = /[*_`~]/;

export function parseInline(text: string, grammar: InlineGrammar): MarkdownInline[] {
  const isPlain = !hasSpecial.test(text) && !(grammar.emphasis && hasEmphasis.test(text));
  return isPlain ? [{ kind: 'text', text }] : parse(text, grammar, false);
}

function parse(source: string, grammar: InlineGrammar, insideLink: boolean, depth = 0): MarkdownInline[] {
  const text = trimEndOf('\n', source);
  const findLink = linkFinder(text);
  const findEmphasis = grammar.emphasis ? emphasisFinder(text) : undefined;
  const lastLineBreak = text.trimEnd().length;
  const special = new RegExp(grammar.emphasis && depth < maxEmphasisDepth ? specialWithEmphasis : specialPattern);
  const inlines: MarkdownInline[] = [];
  let pending = '';
  let start = 0;

  const flushText = () => {
    for (const part of splitAtMarks(pending, grammar.open)) {
      inlines.push(typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'placeholder', open: part });
    }
    pending = '';
  };
  const flush = (next: MarkdownInline) => {
    flushText();
    inlines.push(next);
  };

  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const at = match.index;
    const mark = match[0];
    let end = at;
    if (mark === '\\') {
      escapable.lastIndex = at + 1;
      const escaped = escapable.exec(text);
      if (!escaped) continue;
      pending += text.slice(start, at) + escaped[0];
      end = at + 1 + escaped[0].length;
    } else if (mark === '\n') {
      if (at >= lastLineBreak) break;
      pending += trimEndOf(' ', text.slice(start, at));
      flush({ kind: 'line-break' });
      end = at + 1;
    } else if (mark === '[' || mark === '![') {
      const isImage = mark === '![';
      const link = isImage || grammar.links ? findLink(at + mark.length - 1) : undefined;
      if (!link) continue;
      pending += text.slice(start, at);
      const inlinesOfLink = isImage ? [] : parse(link.text, grammar, true, depth);
      if (insideLink) for (const inline of inlinesOfLink) flush(inline);
      // A link without text could not be clicked, so its URL is shown.
      else if (!isImage && inlinesOfLink.every(isBlank)) flush({ kind: 'url', url: unmark(link.url, grammar.open) });
      else if (!isImage) flush({ kind: 'link', ...destination(link, grammar), inlines: inlinesOfLink });
      end = link.end;
    } else if (findEmphasis && hasEmphasis.test(mark)) {
      const found = findEmphasis(at);
      if (!found) {
        // If a run of marks emphasises nothing, all of it is text.
        while (text[special.lastIndex] === mark) special.lastIndex += 1;
        continue;
      }
      pending += text.slice(start, at);
      if (found.kind === 'code') pending += found.text;
      else {
        const inside = parse(found.text, grammar, insideLink, depth + 1);
        if (found.kind === 'struck') for (const inline of inside) flush(inline);
        else flush({ kind: found.kind, inlines: inside });
      }
      end = found.end;
    } else {
      const url = readUrl(text, at, mark.length);
      if (url === undefined) continue;
      pending += text.slice(start, at);
      if (insideLink) pending += url;
      else flush({ kind: 'url', url: unmark(url, grammar.open) });
      end = at + url.length;
    }
    start = end;
    special.lastIndex = end;
  }
  pending += text.slice(start);
  flushText();
  return inlines;
}

/** Deeper emphasis stays text, because each level parses its text again. */
const maxEmphasisDepth = 6;

interface Emphasis {
  kind: 'strong' | 'emphasis' | 'struck' | 'code';
  text: string;
  end: number;
}

/** The pattern that closes each opening mark. It includes the character before it, because emphasised text is not empty. */
const emphasisMarks: { kind: Emphasis['kind']; opening: RegExp; closing: (marks: string) => RegExp }[] = [
  { kind: 'strong', opening: /__(?=[\s\S])/y, closing: () => /[\s\S]__(?!_)/g },
  { kind: 'strong', opening: /\*\*(?=[\s\S])/y, closing: () => /[\s\S]\*\*(?!\*)/g },
  { kind: 'emphasis', opening: /\b_(?=[^_])/y, closing: () => /[^_]_\b(?!_)/g },
  { kind: 'emphasis', opening: /\*(?=[^*\s])/y, closing: () => /[^*]\*(?!\*)/g },
  { kind: 'struck', opening: /~~(?=\S)/y, closing: () => /\S~~/g },
  { kind: 'code', opening: /`+/y, closing: (marks) => new RegExp(`[^\`]${marks}(?!\`)`, 'g') },
];

/** Marks that find no closing mark from one position find none from later ones, so each search fails only once. */
function emphasisFinder(text: string): (at: number) => Emphasis | undefined {
  const unclosed = new Set<string>();
  return (at) => {
    for (const { kind, opening, closing } of emphasisMarks) {
      opening.lastIndex = at;
      const [marks] = opening.exec(text) ?? [];
      if (marks === undefined || unclosed.has(kind + marks)) continue;
      const close = closing(marks);
      close.lastIndex = at + marks.length;
      const found = close.exec(text);
      if (!found) {
        unclosed.add(kind + marks);
        continue;
      }
      const inside = text.slice(at + marks.length, found.index + 1);
      return { kind, text: kind === 'code' ? inside.trim() : inside, end: found.index + found[0].length };
    }
    return undefined;
  };
}

function isBlank(inline: MarkdownInline): boolean {
  return inline.kind === 'line-break' || (inline.kind === 'text' && inline.text.trim() === '');
}

function destination({ url, title }: FoundLink, { open }: InlineGrammar): { url: string; title: string | null } {
  return { url: unmark(url, open), title: title === null ? null : unmark(title, open) };
}

function readUrl(text: string, start: number, schemeLength: number): string | undefined {
  urlEnd.lastIndex = start;
  let end = urlEnd.exec(text)?.index ?? text.length;
  while (notAtEndOfUrl.includes(text[end - 1] ?? '')) end--;
  return end - start >= schemeLength + 2 ? text.slice(start, end) : undefined;
}

/** `[text](url "title")` from `start` to `end`; `text` is the text between the brackets. */
interface FoundLink {
  text: string;
  url: string;
  title: string | null;
  end: number;
}

interface Destination {
  url: string;
  title: string | null;
  end: number;
}

/**
 * Finds the link that starts at an opening bracket. The closing bracket, parenthesis and quote can be far away, and a million unclosed
 * brackets would each search for them. So brackets, parentheses and quotes are indexed once per text, and every result is cached.
 */
function linkFinder(text: string): (openingBracket: number) => FoundLink | undefined {
  if (!text.includes('](')) return () => undefined;
  const brackets = listBrackets(text);
  const closingOf = memoiseClosing(text, brackets);
  const readDestination = destinationReader(text);
  /** For each run of closing brackets, the last one followed by a destination, and that destination. */
  const lastLinkInRun = new Map<number, { bracket: number; destination: Destination } | null>();

  return (openingBracket) => {
    const opening = firstAtLeast(brackets.positions, openingBracket);
    const closing = closingOf(opening + 1);
    if (closing === -1) return undefined;
    const runEnd = brackets.runEnds[closing] ?? closing;
    let found = lastLinkInRun.get(runEnd);
    if (found === undefined) {
      found = null;
      for (let index = runEnd; index >= 0 && brackets.runEnds[index] === runEnd && !found; index--) {
        const bracket = brackets.positions[index] ?? 0;
        const destination = text[bracket + 1] === '(' ? readDestination(bracket + 2) : undefined;
        if (destination) found = { bracket: index, destination };
      }
      lastLinkInRun.set(runEnd, found);
    }
    if (!found || found.bracket < closing) return undefined;
    return { text: text.slice(openingBracket + 1, brackets.positions[found.bracket]), ...found.destination };
  };
}

interface Brackets {
  positions: number[];
  /** The number of carets before each bracket. A caret inside inner brackets makes a footnote mark, and then the text is not a link. */
  carets: number[];
  /** For a closing bracket, the last of the closing brackets after it with no opening one in between; -1 for opening ones. */
  runEnds: number[];
}

function listBrackets(text: string): Brackets {
  const positions: number[] = [];
  const carets: number[] = [];
  let caretCount = 0;
  for (const { 0: character, index } of text.matchAll(/[[\]^]/g)) {
    if (character === '^') caretCount++;
    else {
      positions.push(index);
      carets.push(caretCount);
    }
  }
  const runEnds: number[] = new Array(positions.length).fill(-1);
  for (let index = positions.length - 1; index >= 0; index--) {
    if (text[positions[index] ?? 0] === ']') runEnds[index] = Math.max(index, runEnds[index + 1] ?? -1);
  }
  return { positions, carets, runEnds };
}

/**
 * Maps a bracket inside the text of a link to the bracket that can close the text, skipping pairs (an opening bracket and the next closing
 * one); -1 if there is none.
 */
function memoiseClosing(text: string, { positions, carets }: Brackets): (bracket: number) => number {
  const isClosing = (bracket: number) => text[positions[bracket] ?? 0] === ']';
  const nextClosing: number[] = new Array(positions.length + 1).fill(-1);
  for (let index = positions.length - 1; index >= 0; index--) {
    nextClosing[index] = isClosing(index) ? index : (nextClosing[index + 1] ?? -1);
  }
  const cache = new Map<number, number>();
  return (start) => {
    const passed: number[] = [];
    let bracket = start;
    let closing = -1;
    while (bracket < positions.length) {
      const cached = cache.get(bracket);
      if (cached !== undefined || isClosing(bracket)) {
        closing = cached ?? bracket;
        break;
      }
      passed.push(bracket);
      const pairEnd = nextClosing[bracket] ?? -1;
      if (pairEnd === -1 || carets[pairEnd] !== carets[bracket]) break;
      bracket = pairEnd + 1;
    }
    for (const index of passed) cache.set(index, closing);
    return closing;
  };
}

/** Reads `url "title")` after the opening parenthesis: the URL extends to the title, or to the parenthesis. */
function destinationReader(text: string): (start: number) => Destination | undefined {
  const parentheses = listPositions(text, /\)/g);
  const titleGaps = listPositions(text, /(?<!\s)\s+(?=['"])/g);
  const titleEnds = listPositions(text, /['"](?=\s*\))/g);
  return (start) => {
    const url = start + leadingWhitespace(text, start);
    const parenthesis = parentheses[firstAtLeast(parentheses, url)];
    if (parenthesis === undefined) return undefined;
    const plain = text.slice(url, parenthesis).trimEnd();
    const gap = titleGaps[firstAtLeast(titleGaps, url)];
    if (gap !== undefined && gap < url + plain.length) {
      const quote = gap + leadingWhitespace(text, gap);
      const titleEnd = titleEnds[firstAtLeast(titleEnds, quote + 1)];
      if (titleEnd !== undefined) {
        const end = titleEnd + 1 + leadingWhitespace(text, titleEnd + 1) + 1;
        return { url: text.slice(url, gap), title: text.slice(quote + 1, titleEnd), end };
      }
    }
    return { url: plain, title: null, end: parenthesis + 1 };
  };
}

function leadingWhitespace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return at - from;
}

function listPositions(text: string, pattern: RegExp): number[] {
  return Array.from(text.matchAll(pattern), ({ index }) => index);
}

function firstAtLeast(sorted: readonly number[], minimum: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < minimum) low = middle + 1;
    else high = middle;
  }
  return low;
}
