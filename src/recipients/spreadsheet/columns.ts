import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { invisibleCharacters } from '../../protocol/whitespace.ts';
import { englishKeyOf } from './headings.ts';

const addressLines = [1, 2, 3, 4, 5, 6].map((number) => `address line ${number}`);

/** By channel, in address order. */
export const recipientColumnNames: Record<Channel, readonly string[]> = {
  sms: ['phone number'],
  email: ['email address'],
  letter: [...addressLines, 'postcode', 'address line 7'],
};

const minAddressColumns = 3;

/** All columns with the same key. Two of them make a list. */
export interface Column {
  key: string;
  /** The first spelling in the file. */
  name: string;
  recipient: boolean;
  /** Whether the template uses it. */
  used: boolean;
}

export interface Columns {
  /** As spelled in the file, in order, without duplicates. */
  names: string[];
  columns: Column[];
  /** The index in `columns` for each position of the header. */
  positions: number[];
  /** The index in `columns` by key. */
  byKey: ReadonlyMap<string, number>;
  /** Cells beyond this position have no column. */
  width: number;
  hasRecipient: boolean;
  /** Placeholders and recipient columns that the file lacks, sorted. */
  missing: string[];
  duplicates: string[];
}

/**
 * Returns which columns a file has and which of them a template needs. Without a channel there is no template. `optional`: placeholders
 * that only some rows need.
 */
export function planColumns(
  header: Header,
  channel: Channel | null,
  placeholders: readonly string[],
  optional: readonly string[] = [],
): Columns {
  const { names, width } = header;
  const keyOf = channel === null ? comparableKey : keysOfColumns(names, channel, [...placeholders, ...optional]);
  const recipientKeys = new Set(channel === null ? [] : recipientColumnNames[channel].map(comparableKey));
  const usedKeys = new Set([...placeholders, ...optional].map(comparableKey));
  const columns: Column[] = [];
  const byKey = new Map<string, number>();
  const spellings = width > names.length ? [...names, ''] : names;
  const positions = spellings.map((name) => {
    const key = keyOf(name);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const recipient = recipientKeys.has(key);
    byKey.set(key, columns.length);
    return columns.push({ key, name, recipient, used: recipient || usedKeys.has(key) }) - 1;
  });
  return {
    names: [...new Set(spellings)],
    columns,
    positions,
    byKey,
    width,
    hasRecipient: channel !== null && hasRecipientColumns(channel, byKey),
    missing: channel === null ? [] : missingColumns(channel, placeholders, byKey),
    duplicates: duplicateColumns(names, keyOf, recipientKeys),
  };
}

type KeyOf = (name: string) => string;

/**
 * Gives a recipient column in another language the key of its English name, unless the file has a column with the English name or the
 * template a placeholder with this one.
 */
function keysOfColumns(names: readonly string[], channel: Channel, placeholders: readonly string[]): KeyOf {
  const recipientKeys = new Set(recipientColumnNames[channel].map(comparableKey));
  const taken = new Set(placeholders.map(comparableKey));
  const found = new Set(names.map(comparableKey));
  const english = new Map<string, string>();
  for (const name of names) {
    const key = englishKeyOf(name);
    if (key === undefined || !recipientKeys.has(key) || found.has(key) || taken.has(comparableKey(name))) continue;
    found.add(key);
    english.set(comparableKey(name), key);
  }
  return (name) => english.get(comparableKey(name)) ?? comparableKey(name);
}

/** Whether the names include the recipient columns of the channel, or of any channel. */
export function namesRecipient(names: readonly string[], channel: Channel | undefined): boolean {
  return (channel ? [channel] : channels).some((candidate) => {
    const keyOf = keysOfColumns(names, candidate, []);
    return hasRecipientColumns(candidate, new Map(names.map((name, index) => [keyOf(name), index])));
  });
}

// The postcode and line 7 are the same line of an address, so they do not count together.
function hasRecipientColumns(channel: Channel, keys: ReadonlyMap<string, unknown>): boolean {
  const count = (names: readonly string[]) => names.filter((name) => keys.has(comparableKey(name))).length;
  if (channel !== 'letter') return count(recipientColumnNames[channel]) > 0;
  return [...(['postcode', 'address line 7'] as const)].some(
    (last) => count([...addressLines, last]) >= minAddressColumns,
  );
}

function missingColumns(channel: Channel, placeholders: readonly string[], byKey: ReadonlyMap<string, number>) {
  const needed = new Map(placeholders.map((name) => [comparableKey(name), name]));
  for (const name of recipientColumnNames[channel]) {
    if (channel === 'letter') needed.delete(comparableKey(name));
    else needed.set(comparableKey(name), name);
  }
  return [...needed].flatMap(([key, name]) => (byKey.has(key) ? [] : [name])).sort();
}

function duplicateColumns(names: readonly string[], keyOf: KeyOf, recipientKeys: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const key of names.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isDuplicate = (key: string) => recipientKeys.has(key) && (counts.get(key) ?? 0) > 1;
  return [...new Set(names.filter((name) => isDuplicate(keyOf(name))))];
}

/** Returns the channel of a contact list by its only column; undefined if the file cannot be one. */
export function findContactListChannel({ names }: Header): 'sms' | 'email' | undefined {
  const named = names.filter((name) => comparableKey(name) !== '');
  return named.length === 1 ? (['sms', 'email'] as const).find((channel) => namesRecipient(named, channel)) : undefined;
}

export type CellValue = string | string[] | null;

export interface Row {
  /** One value for each of `Columns.columns`. Several cells become the list of those with a value. */
  values: CellValue[];
  /** Cells without a column, as in the file. Shown but never used. */
  surplus: string[];
}

const untidy = /[^\x20-\x7e]|^ | $/;
// A database cannot store NUL.
const removed = new RegExp(`[\\0${invisibleCharacters}]`, 'gu');
const noBreakSpaces = /[\u00a0\u202f]/g;
const asciiSpaces = ' \t\n\r\v\f';

/** Returns null for a cell without text. Spaces of other scripts are part of the value. */
function cleanCell(text: string): string | null {
  if (!untidy.test(text)) return text === '' ? null : text;
  const cleaned = trimAscii(wellFormed(text).replace(removed, '').replace(noBreakSpaces, ' '));
  return cleaned === '' ? null : cleaned;
}

/** A list stays a list, whatever number of values it has. */
function cleanValue(cell: SheetCell): CellValue {
  if (typeof cell === 'string') return cleanCell(cell);
  return cell.map(cleanCell).filter((value) => value !== null);
}

// A database cannot store lone surrogates either. Workbooks and JSON can contain them.
const halfCharacter = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function wellFormed(text: string): string {
  return text.replace(halfCharacter, '\ufffd');
}

// Not a regular expression: one that matches at the end takes quadratic time on a long run of spaces inside the text.
function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && asciiSpaces.includes(text.charAt(start))) start++;
  while (end > start && asciiSpaces.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export function buildRow({ columns, positions, width }: Columns, cells: readonly SheetCell[]): Row {
  const values: CellValue[] = new Array(columns.length).fill(null);
  const nameless = positions.at(-1) ?? 0;
  const count = Math.min(cells.length, width);
  for (let position = 0; position < count; position++) {
    const value = cleanValue(cells[position] ?? '');
    const index = positions[position] ?? nameless;
    const earlier = values[index] ?? null;
    if (columns[index]?.recipient) values[index] = value;
    else if (value !== null) values[index] = earlier === null ? value : appended(earlier, value);
  }
  return { values, surplus: cells.slice(width).map(String) };
}

function appended(earlier: string | string[], value: string | string[]): string[] {
  const list = typeof earlier === 'string' ? [earlier] : earlier;
  if (typeof value === 'string') list.push(value);
  else for (const item of value) list.push(item);
  return list;
}
