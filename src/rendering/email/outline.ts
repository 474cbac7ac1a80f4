import { isDeepStrictEqual } from 'node:util';
import { escapeHtml } from '../escape.ts';
import type { EmailTexts } from './email.ts';

/*
 * An outline is an email rendered once with sentinels for its values and cut at them, so that a message is its pieces
 * with the values between them. The result is byte for byte that of a full rendering, for three reasons:
 *
 * - Values are simple (`outlines.ts`): one line, nothing that Markdown, typography, entities or URL detection react
 *   to, a letter or digit at the end. Everything else about a message (conditions, empty values, which values are URLs)
 *   is part of its shape, and each shape has its own outline.
 * - A sentinel is a simple value too. So a rule can distinguish it from the value only where the rule joins the value
 *   with adjacent text. `readsTheSame` and `looksTheSame` find these places; a template that has one gets no outline.
 * - Where the result depends on the value, the outline records what the value of that slot must not match (`refusals`).
 *
 * Messages without an outline are rendered in full.
 */

export interface EmailOutline {
  cuts: { readonly [Text in keyof EmailTexts]: CutText };
  refusals: readonly Refusal[];
}

/** Longer than a preheader, even with surrogate pairs. */
const summaryLength = 600;

interface Refusal {
  slot: number;
  pattern: RegExp;
}

/** An email rendered with sentinels, and everything that the renderer parsed: subject and body, as text and as HTML. */
interface Rendered {
  texts: EmailTexts;
  filled: { subjects: string[]; contents: string[] };
}

export function cutOutline({ texts, filled }: Rendered, withOthers: EmailTexts): EmailOutline | undefined {
  if (![...filled.subjects, ...filled.contents].every(readsTheSame)) return undefined;
  const body = texts.body.replace(hrefPattern, '');
  if (![texts.subject, texts.htmlSubject, body, texts.summary, texts.text].every(looksTheSame)) return undefined;
  const refusals = [...filled.contents.flatMap(refuseListMarks), ...refuseAtSigns(texts)];
  for (const [, url = ''] of texts.body.matchAll(hrefPattern)) {
    if (mayGetScheme(url)) return undefined;
    for (const slot of phrasesIn(url)) refusals.push({ slot, pattern: changesUrl });
  }
  const cuts = cutTexts(texts, defaultSentinels);
  if (!isDeepStrictEqual(cuts, cutTexts(withOthers, otherSentinels))) return undefined;
  return { cuts, refusals };
}

function cutTexts(texts: EmailTexts, sentinels: Sentinels): EmailOutline['cuts'] {
  return {
    subject: cutAtSentinels(texts.subject, sentinels),
    htmlSubject: cutAtSentinels(texts.htmlSubject, sentinels),
    body: cutAtSentinels(texts.body, sentinels),
    summary: shorten(cutAtSentinels(texts.summary, sentinels), summaryLength),
    text: cutAtSentinels(texts.text, sentinels),
  };
}

/** Returns undefined if a value is rejected. `texts` has the values by slot, then the unsubscribe URL. */
export function fillOutline({ cuts, refusals }: EmailOutline, texts: readonly string[]): EmailTexts | undefined {
  for (const { slot, pattern } of refusals) if (pattern.test(texts[slot] ?? '')) return undefined;
  const escaped = texts.map(escapeHtml);
  return {
    subject: fillHoles(cuts.subject, texts),
    htmlSubject: fillHoles(cuts.htmlSubject, escaped),
    body: fillHoles(cuts.body, escaped),
    summary: fillHoles(cuts.summary, escaped),
    text: fillHoles(cuts.text, texts),
  };
}

/** Returns the values to render an outline with, by slot. */
export function sentinelValues(shape: string, { phrase, address }: Sentinels): unknown[] {
  return Array.from(shape, (kind, slot) => {
    if (kind === 'p') return phrase(slot);
    if (kind === 'a') return address(slot);
    return kind === 'e' ? '' : kind === '1';
  });
}

/** Pattern source for checking the text next to a sentinel. */
const anySentinel = '(?:zqx\\d{4}xqz|https://zqu\\d{4}uqz)';
const phraseSentinel = 'zqx(\\d{4})xqz';

const hrefPattern = / href="([^"]*)"/g;

/**
 * Tabs align to columns that depend on the text before them. Fences take a language, which has no spaces. In plain text `<` may start a
 * tag, whose name affects quotes. Some characters are dropped.
 */
const unpredictable = /[\t<\u2028\u3164\uFDD0\uFDD1]|```|~~~/;
const letterSource = '[\\p{L}\\p{N}]';
/** Matches a value within a longer word or name: `gov.((x))`, `((x))://`, `((first))((last))`. */
const partOfAWord = new RegExp(
  `(?:${letterSource}|\\.)${anySentinel}|${anySentinel}(?:${letterSource}|\\.(?:${letterSource})|:/)`,
  'u',
);

function readsTheSame(filled: string): boolean {
  return !unpredictable.test(filled) && !partOfAWord.test(filled);
}

/**
 * Whether quotes before a value curl depends on its first character, and after a URL on its last. A semicolon after a URL may end an
 * entity. `&` followed by a phrase may become an entity.
 */
const quote = '[\'"‘’“”]';
const touched = new RegExp(`${quote}${anySentinel}|uqz(?:${quote}|;)|&[#A-Za-z0-9]*zqx`);

function looksTheSame(text: string): boolean {
  return !touched.test(text);
}

/** At the start of a line or an item, the value `12.`, or `12` before a dot, is a list marker. */
const firstInLine = new RegExp(`^[^\\p{L}]*?${phraseSentinel}(\\.?)`, 'u');

function refuseListMarks(content: string): Refusal[] {
  const refusals: Refusal[] = [];
  for (const line of content.split(/[\r\n]/)) {
    const first = firstInLine.exec(line);
    if (first) refusals.push({ slot: Number(first[1]), pattern: first[2] ? /^\d+(?:\.|$)/ : /^\d+\./ });
  }
  return refusals;
}

/** Quotes stay straight in a word with an at sign. So no word may have both a quote and an at sign if one of them comes from a value. */
function refuseAtSigns(texts: EmailTexts): Refusal[] {
  const words = Object.values(texts).flatMap((text) => text.split(/\s+/));
  return words
    .filter((word) => /['‘’]/.test(word))
    .flatMap((word) => phrasesIn(word).map((slot) => ({ slot, pattern: word.includes('@') ? /./ : /@/ })));
}

/** An `href` encodes these characters. A value of one character is too short to be a URL. */
const changesUrl = /[^A-Za-z0-9_-]|^.$/;

/** `((x)):` becomes a URL with a scheme when the value is `tel`. */
function mayGetScheme(url: string): boolean {
  const sentinel = url.search(new RegExp(anySentinel));
  return sentinel !== -1 && url.startsWith('http://') && url.lastIndexOf(':') > sentinel;
}

/*
 * A template is rendered once with a sentinel for each value, and the result is cut at the sentinels. To every rule a
 * sentinel looks like the value it replaces: for a phrase it is a word, for a URL it is a URL.
 */

export const maxSentinels = 9_999;

export interface Sentinels {
  phrase: (slot: number) => string;
  address: (slot: number) => string;
  pattern: RegExp;
}

export const defaultSentinels: Sentinels = {
  phrase: (slot) => `zqx${fourDigits(slot)}xqz`,
  address: (slot) => `https://zqu${fourDigits(slot)}uqz`,
  pattern: /zqx(\d{4})xqz|https:\/\/zqu(\d{4})uqz/g,
};

/** Other sentinels, to distinguish sentinels from text that looks like one: with them the text must be cut at the same places. */
export const otherSentinels: Sentinels = {
  phrase: (slot) => `kvw${fourDigits(slot)}wvk`,
  address: (slot) => `https://kvj${fourDigits(slot)}jvk`,
  pattern: /kvw(\d{4})wvk|https:\/\/kvj(\d{4})jvk/g,
};

function fourDigits(slot: number): string {
  return String(slot).padStart(4, '0');
}

/** `pieces[0]`, the value of `holes[0]`, `pieces[1]`, ... `pieces[n]`. */
interface CutText {
  pieces: readonly string[];
  holes: readonly number[];
}

function cutAtSentinels(text: string, { pattern }: Sentinels): CutText {
  const pieces: string[] = [];
  const holes: number[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(end, match.index));
    holes.push(Number(match[1] ?? match[2]));
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  return { pieces, holes };
}

/** Returns the beginning of a text with at least this many characters, not counting its values. */
function shorten({ pieces, holes }: CutText, characters: number): CutText {
  let length = 0;
  let last = 0;
  for (; last < pieces.length; last++) {
    length += pieces[last]?.length ?? 0;
    if (length >= characters) break;
  }
  return { pieces: pieces.slice(0, last + 1), holes: holes.slice(0, last) };
}

function fillHoles({ pieces, holes }: CutText, values: readonly string[]): string {
  let text = pieces[0] ?? '';
  for (let index = 0; index < holes.length; index++) {
    text += values[holes[index] ?? 0] ?? '';
    text += pieces[index + 1] ?? '';
  }
  return text;
}

/** Returns the slots of the phrase sentinels in a text. */
function phrasesIn(text: string): number[] {
  return Array.from(text.matchAll(new RegExp(phraseSentinel, 'g')), ({ 1: index }) => Number(index));
}
