import type { Header } from '../../libraries/spreadsheet/sheet.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';

const addressLines = [1, 2, 3, 4, 5, 6].map((number) => `address line ${number}`);

/** By channel, in the order of an address. */
export const recipientColumnNames: Record<Channel, readonly string[]> = {
  sms: ['phone number'],
  email: ['email address'],
  letter: [...addressLines, 'postcode', 'address line 7'],
};

const minAddressColumns = 3;

/** All columns with the same key: two of them make a list. */
export interface Column {
  key: string;
  /** The first spelling in the file. */
  name: string;
  recipient: boolean;
  /** The template uses it. */
  used: boolean;
}

export interface Columns {
  /** As spelled, in order, repeats left out. */
  names: string[];
  columns: Column[];
  /** For each position of the header, the index in `columns`. */
  positions: number[];
  /** The index in `columns`, by key. */
  byKey: ReadonlyMap<string, number>;
  /** Cells beyond have no column. */
  width: number;
  hasRecipient: boolean;
  /** Placeholders and recipient columns that the file does not have, sorted. */
  missing: string[];
  duplicates: string[];
}

/** Which columns a file has, and what a template needs of them; without a channel there is no template. */
export function planColumns(header: Header, channel: Channel | null, placeholders: readonly string[]): Columns {
  const { names, width } = header;
  const recipientKeys = new Set(channel === null ? [] : recipientColumnNames[channel].map(comparableKey));
  const usedKeys = new Set(placeholders.map(comparableKey));
  const columns: Column[] = [];
  const byKey = new Map<string, number>();
  const spellings = width > names.length ? [...names, ''] : names;
  const positions = spellings.map((name) => {
    const key = comparableKey(name);
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
    duplicates: duplicateColumns(names, recipientKeys),
  };
}

/** Whether the names include the recipient columns of the channel, or of any. */
export function namesRecipient(names: readonly string[], channel: Channel | undefined): boolean {
  const keys = new Map(names.map((name, index) => [comparableKey(name), index]));
  return (channel ? [channel] : channels).some((candidate) => hasRecipientColumns(candidate, keys));
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

function duplicateColumns(names: readonly string[], recipientKeys: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const key of names.map(comparableKey)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isDuplicate = (key: string) => recipientKeys.has(key) && (counts.get(key) ?? 0) > 1;
  return [...new Set(names.filter((name) => isDuplicate(comparableKey(name))))];
}

/** The channel of a contact list, by its only column; undefined if the file cannot be one. */
export function findContactListChannel({ names }: Header): 'sms' | 'email' | undefined {
  const named = names.map(comparableKey).filter((key) => key !== '');
  if (named.length !== 1) return undefined;
  return (['sms', 'email'] as const).find(
    (channel) => recipientColumnNames[channel].map(comparableKey)[0] === named[0],
  );
}
