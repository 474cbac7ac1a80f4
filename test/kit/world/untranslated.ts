import { sql } from 'kysely';
import { listZones } from '../../../src/countries/loading/known-values.ts';
import { decodeEntities } from '../../../src/rendering/escape.ts';
import type { Harness } from '../harness.ts';
import type { Page } from './console-visitor.ts';

/** The end of every text that somebody has typed, in a world for `untranslated`. */
export const typedMark = '§';

/** Names of programs and of companies. */
const products =
  'Pennypost curl Node Python Java Ruby Go Chrome Linux Gmail Yahoo Outlook Amazon SES Postfix Exim Exchange'.split(
    ' ',
  );

/** Headings of the files of recipients, which programs read, and what stands in an example of one. */
const headings = ['phone number', 'email address', 'time zone', 'example'];

/** Elements with code, with what somebody typed, and with what is in another language or has no translation. */
const opaque = /^(code|kbd|pre|samp|script|style|textarea|bdi)$/;
const isOpaque = (name: string, attributes: string) =>
  opaque.test(name) || /\s(dir="auto"|lang="(?!en-XA"))/.test(attributes.replace(/^(?!\s)/, ' '));
const empty = /^(meta|link|input|br|hr|img|source|col|wbr|use|path|rect|circle|line)$/;
const shownAttributes = /\s(title|alt|aria-label|aria-description|placeholder|data-label|data-say-[a-z]+)="([^"]*)"/g;
const token = /<!doctype[^>]*>|<(\/?)([\w-]+)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g;

/** Addresses, codes with digits or in capitals, placeholders. */
const codes = /\S+@\S+|\S*\/\S*|[\w-]+(\.[\w-]+)+|[\w-]*\d[\w-]*|\w*_\w*|\b[A-Z]{2,}s?\b|\(\([^)]*\)\)|\(\(\w+\?\?/g;

/** Letters that the pseudo-language writes with accents: a word that has one of them is not translated. */
const plainLetter = /[A-EG-LNORSTUWYZa-eg-lnorstuwyz]/;

/**
 * What somebody has typed, and codes, as the database has them. `untranslated` looks at pages in the pseudo-language `en-XA`: every word
 * that is neither of these nor has accents is one that nobody can translate. `typed` are texts without the mark.
 */
export async function knownWords({ app }: Pick<Harness, 'app'>, typed: readonly string[] = []): Promise<RegExp> {
  const known = new Set([...products, ...headings, ...listZones().map(nameOfZone)]);
  for (const text of typed) addTyped(text, known);
  const { rows: tables } = await sql<{ table_name: string }>`
    select table_name from information_schema.tables where table_schema = 'public'`.execute(app.db);
  for (const { table_name } of tables) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table_name)} t`.execute(app.db);
    for (const { row } of rows) addKnown(row, known);
  }
  const longestFirst = [...known].sort((one, other) => other.length - one.length).map(escapeRegExp);
  return new RegExp(`(?<![\\p{L}])(?:${longestFirst.join('|')})(?![\\p{L}])|\\S*${typedMark}\\S*`, 'gu');
}

/** "Buenos Aires (America)": the names of cities are those of the zones. */
function nameOfZone(zone: string): string {
  const [city = '', ...regions] = zone.replaceAll('_', ' ').split('/').reverse();
  return `${city} (${regions.join(', ')})`;
}

function addKnown(row: Record<string, unknown>, known: Set<string>): void {
  for (const name of ['name', 'display_name', 'identifier', 'language', 'client_reference']) {
    const value = row[name];
    if (typeof value === 'string' && value !== '') known.add(value);
  }
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.includes(typedMark)) addTyped(value, known);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(row);
}

/** Adds lines, placeholders and the texts between them separately, because pages show them separately. */
function addTyped(text: string, known: Set<string>): void {
  for (const [, name = ''] of text.matchAll(/\(\((\w+)\)\)/g)) known.add(name);
  for (const part of text.split(/\n|\(\([^)]*\)\)/)) if (/\p{L}/u.test(part)) known.add(part.trim());
}

/** Returns the texts of a page that contain words that nobody can translate, with these words. */
export function untranslated({ text, headers }: Page, known: RegExp): string[] {
  const isFile = /^sandbox/.test(String(headers['content-security-policy']));
  if (!/^text\/html/.test(String(headers['content-type'])) || isFile) return [];
  return piecesOf(text).flatMap((piece) => {
    const words = foreignWordsOf(piece, known);
    return words.length === 0 ? [] : [`${decodeEntities(piece).trim().slice(0, 150)} (${words.join(', ')})`];
  });
}

/** Caches results by the known words, because most texts are on most pages and searching for thousands of words is slow. */
const looked = new WeakMap<RegExp, Map<string, string[]>>();

function foreignWordsOf(piece: string, known: RegExp): string[] {
  const before = looked.get(known) ?? new Map<string, string[]>();
  looked.set(known, before);
  const words = before.get(piece) ?? foreignWords(decodeEntities(piece), known);
  before.set(piece, words);
  return words;
}

/** Returns every text and attribute that people see or hear. */
function piecesOf(html: string): string[] {
  const pieces: string[] = [];
  /** The opaque element that is open, and those of its name within it. */
  let within: string[] = [];
  for (const [, end, name = '', attributes = '', text = ''] of html.matchAll(token)) {
    if (text !== '') {
      if (within.length === 0) pieces.push(text);
    } else if (end) {
      if (within.at(-1) === name) within.pop();
    } else if (within.length > 0) {
      if (within.at(-1) === name) within.push(name);
    } else if (name !== '') {
      const isHidden = isOpaque(name, attributes);
      if (!isHidden) pieces.push(...[...attributes.matchAll(shownAttributes)].map(([, , value = '']) => value));
      if (isHidden && !empty.test(name) && !attributes.endsWith('/')) within = [name];
    }
  }
  return pieces;
}

function foreignWords(text: string, known: RegExp): string[] {
  // What is known may be a part of a code, and the other way round.
  const others = text.replaceAll(codes, ' ').replaceAll(known, ' ');
  const words =
    text
      .replaceAll(known, ' ')
      .replaceAll(codes, ' ')
      .match(/[\p{L}’]{2,}/gu) ?? [];
  return words.filter((word) => plainLetter.test(word) && others.includes(word));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
