import { isDeepStrictEqual } from 'node:util';
import { escapeHtml } from '../escape.ts';
import {
  ANY_STAND_IN,
  type CutText,
  cutAtStandIns,
  fillHoles,
  OTHER_STAND_INS,
  PHRASE_STAND_IN,
  phrasesIn,
  STAND_INS,
  type StandIns,
  shorten,
} from '../stand-ins.ts';

/*
 * An outline is an email rendered once with stand-ins for its values and cut at them, so that a message is its pieces
 * and the values between them. It is exact, to the byte, because of three things together:
 *
 * - Values are simple (`simple-values.ts`): one line, nothing that Markdown, typography, entities or the search for
 *   addresses react to, a letter or digit at the end. All else a message has (conditions, empty values, which values
 *   are addresses) is part of its shape, and each shape has an outline of its own.
 * - A stand-in is a simple value too. So a rule can tell it from the value only where the rule joins the value with the
 *   text beside it. `readsTheSame` and `looksTheSame` find these places; a template that has one gets no outline.
 * - Where it depends on the value, the outline holds what the value of that slot must not match (`refusals`).
 *
 * Whatever has no outline is rendered in full.
 */

/** Everything that an email consists of, complete but for the page around it. The summary is the uncut preheader. */
export type EmailTexts = { subject: string; htmlSubject: string; body: string; summary: string; text: string };

export type EmailOutline = {
  cuts: { readonly [Text in keyof EmailTexts]: CutText };
  refusals: readonly Refusal[];
  /** Of all its pieces. */
  characters: number;
};

/** More than a preheader has, even of characters that count as two. */
const SUMMARY_LENGTH = 600;

type Refusal = { slot: number; pattern: RegExp };

/** An email rendered with stand-ins, and all that the renderer read: subject and body, as text and as HTML. */
type Rendered = { texts: EmailTexts; filled: { subjects: string[]; contents: string[] } };

export function cutOutline({ texts, filled }: Rendered, withOthers: EmailTexts): EmailOutline | undefined {
  if (![...filled.subjects, ...filled.contents].every(readsTheSame)) return undefined;
  const body = texts.body.replace(HREF, '');
  if (![texts.subject, texts.htmlSubject, body, texts.summary, texts.text].every(looksTheSame)) return undefined;
  const refusals = [...filled.contents.flatMap(refuseListMarks), ...refuseAtSigns(texts)];
  for (const [, url = ''] of texts.body.matchAll(HREF)) {
    if (mayGetScheme(url)) return undefined;
    for (const slot of phrasesIn(url)) refusals.push({ slot, pattern: CHANGES_URL });
  }
  const cuts = cutTexts(texts, STAND_INS);
  if (!isDeepStrictEqual(cuts, cutTexts(withOthers, OTHER_STAND_INS))) return undefined;
  return { cuts, refusals, characters: Object.values(texts).reduce((sum, text) => sum + text.length, 0) };
}

function cutTexts(texts: EmailTexts, standIns: StandIns): EmailOutline['cuts'] {
  return {
    subject: cutAtStandIns(texts.subject, standIns),
    htmlSubject: cutAtStandIns(texts.htmlSubject, standIns),
    body: cutAtStandIns(texts.body, standIns),
    summary: shorten(cutAtStandIns(texts.summary, standIns), SUMMARY_LENGTH),
    text: cutAtStandIns(texts.text, standIns),
  };
}

/** Undefined where a value is refused. `texts` has the values by slot, and last the address to unsubscribe at. */
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

/** What to render an outline with, by slot. */
export function standInValues(shape: string, { phrase, address }: StandIns): unknown[] {
  return Array.from(shape, (kind, slot) => {
    if (kind === 'p') return phrase(slot);
    if (kind === 'a') return address(slot);
    return kind === 'e' ? '' : kind === '1';
  });
}

const HREF = / href="([^"]*)"/g;

/**
 * Tabs reach to columns that depend on what stands before them; fences take a language, which has no spaces; in plain
 * text `<` may begin a tag, whose name decides about quotes; and of some characters nothing is left.
 */
const UNPREDICTABLE = /[\t<\u2028\u3164\uFDD0\uFDD1]|```|~~~/;
const LETTER = '[\\p{L}\\p{N}]';
/** A value that is part of a longer word or name: `gov.((x))`, `((x))://`, `((first))((last))`. */
const PART_OF_A_WORD = new RegExp(
  `(?:${LETTER}|\\.)${ANY_STAND_IN}|${ANY_STAND_IN}(?:${LETTER}|\\.(?:${LETTER})|:/)`,
  'u',
);

function readsTheSame(filled: string): boolean {
  return !UNPREDICTABLE.test(filled) && !PART_OF_A_WORD.test(filled);
}

/**
 * Quotes before a value curl by its first character; quotes after an address by its last, and a semicolon after one may
 * end an entity; `&` and a phrase may become an entity.
 */
const QUOTE = '[\'"‘’“”]';
const TOUCHED = new RegExp(`${QUOTE}${ANY_STAND_IN}|uqz(?:${QUOTE}|;)|&[#A-Za-z0-9]*zqx`);

function looksTheSame(text: string): boolean {
  return !TOUCHED.test(text);
}

/** `12.` or `12` before a dot, where a line or an item begins, is the mark of a list. */
const FIRST_IN_LINE = new RegExp(`^[^\\p{L}]*?${PHRASE_STAND_IN}(\\.?)`, 'u');

function refuseListMarks(content: string): Refusal[] {
  const refusals: Refusal[] = [];
  for (const line of content.split(/[\r\n]/)) {
    const first = FIRST_IN_LINE.exec(line);
    if (first) refusals.push({ slot: Number(first[1]), pattern: first[2] ? /^\d+(?:\.|$)/ : /^\d+\./ });
  }
  return refusals;
}

/** A word with an at sign keeps its quotes straight: the word must not have both, of which one comes from a value. */
function refuseAtSigns(texts: EmailTexts): Refusal[] {
  const words = Object.values(texts).flatMap((text) => text.split(/\s+/));
  return words
    .filter((word) => /['‘’]/.test(word))
    .flatMap((word) => phrasesIn(word).map((slot) => ({ slot, pattern: word.includes('@') ? /./ : /@/ })));
}

/** An `href` keeps other characters in another form. An address of one letter is too short to be one. */
const CHANGES_URL = /[^A-Za-z0-9_-]|^.$/;

/** `((x)):` becomes an address with a scheme when the value is `tel`. */
function mayGetScheme(url: string): boolean {
  const standIn = url.search(new RegExp(ANY_STAND_IN));
  return standIn !== -1 && url.startsWith('http://') && url.lastIndexOf(':') > standIn;
}
