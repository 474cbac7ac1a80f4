import { LineReader } from '../../libraries/spreadsheet/line-reader.ts';
import { BatchOfRows, openSheet } from '../../libraries/spreadsheet/row-batches.ts';
import {
  type Header,
  megabytes,
  type RowBatch,
  type Sheet,
  type SheetCell,
  type SpreadsheetLimits,
} from '../../libraries/spreadsheet/sheet.ts';
import { type Detail, SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { recipientColumnNames } from './columns.ts';

interface NdjsonOptions {
  limits: Pick<SpreadsheetLimits, 'textBytes' | 'textRows' | 'rowCharacters'>;
  channel: Channel;
  /** The placeholders of the template. Other values in a line are ignored. */
  placeholders: readonly string[];
  parse?: (json: string) => unknown;
}

/**
 * Opens lines of `{"email_address" or "phone_number", "personalisation", "reference"}`. Lines may have different keys, so the columns are
 * those of the template: a missing value becomes an empty cell.
 */
export function openNdjson(
  bytes: AsyncIterable<Uint8Array>,
  { limits, channel, placeholders, parse = JSON.parse }: NdjsonOptions,
): Promise<Sheet> {
  const lines = new LineReader(limits.rowCharacters);
  const readLine = lineReading(channel, parse);
  const batch = new BatchOfRows(limits.textRows);
  let columns: ReturnType<typeof ndjsonColumns> | undefined;
  let header: Header | undefined;

  async function* read(): AsyncGenerator<RowBatch> {
    let byteCount = 0;
    for await (const chunk of bytes) {
      byteCount += chunk.length;
      if (byteCount > limits.textBytes) throw new SpreadsheetError('too-large', { limit: megabytes(limits.textBytes) });
      yield* add(lines.read(chunk));
    }
    yield* add(lines.end());
    yield* batch.end();
  }

  function* add(texts: Iterable<{ line: number; text: string }>): Generator<RowBatch> {
    for (const { line, text } of texts) {
      if (text.trim() === '') continue;
      const values = readLine(text, line);
      columns ??= ndjsonColumns(channel, placeholders, values);
      header ??= { names: columns.names, width: columns.names.length };
      batch.add(columns.cellsOf(values), text.length);
      yield* batch.full();
    }
  }

  return openSheet(
    read(),
    () => header,
    () => 'utf-8',
  );
}

/** The values of a line by comparable key. */
type LineValues = ReadonlyMap<string, SheetCell>;

type Json = Record<string, unknown>;

const recipientNames: Record<Channel, string | null> = {
  sms: 'phone_number',
  email: 'email_address',
  // A letter has its address in the personalisation.
  letter: null,
};

const maxShownName = 100;
/** Caches keys, because lines repeat the same names and computing a key takes longer than everything else for a value. */
const maxKnownNames = 1_000;
const maxKnownLength = 200;

function lineReading(channel: Channel, parse: (json: string) => unknown) {
  const recipientName = recipientNames[channel];
  const textNames = recipientName === null ? ['reference'] : [recipientName, 'reference'];
  const names = [...(recipientName === null ? [] : [recipientName]), 'personalisation', 'reference'];
  const knownKeys = new Map<string, string>();

  function keyOf(name: string): string {
    const known = knownKeys.get(name);
    if (known !== undefined) return known;
    const key = comparableKey(name);
    if (knownKeys.size < maxKnownNames && name.length <= maxKnownLength) knownKeys.set(name, key);
    return key;
  }

  return (text: string, line: number): LineValues => {
    const fields = parseLine(text, line, parse);
    for (const name of Object.keys(fields)) {
      if (names.includes(name)) continue;
      throw new LineError('line-unknown-key', { line, name: shown(name), names: names.join(', ') });
    }
    const values = readValues(fields.personalisation, line, keyOf);
    for (const name of textNames) {
      const value = readText(fields[name], name, line);
      if (value === null) continue;
      const key = keyOf(name);
      const other = values.get(key);
      // One column has both, so they must agree: a template that shows the recipient or the reference shows this column.
      if (other !== undefined && other !== value) throw new LineError('line-two-values', { line, name });
      values.set(key, value);
    }
    return values;
  };
}

function parseLine(text: string, line: number, parse: (json: string) => unknown): Json {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new LineError('line-not-json', { line }, { cause });
  }
  if (isObject(value)) return value;
  throw new LineError('line-not-object', { line });
}

/** If two names are equal, the later one wins, as for a single message. */
function readValues(personalisation: unknown, line: number, keyOf: (name: string) => string): Map<string, SheetCell> {
  const values = new Map<string, SheetCell>();
  if (personalisation === undefined || personalisation === null) return values;
  if (!isObject(personalisation)) throw new LineError('line-personalisation', { line });
  for (const name of Object.keys(personalisation)) {
    const cell = cellOf(personalisation[name]);
    if (cell === undefined) throw new LineError('line-nested-value', { line, name: shown(name) });
    if (cell !== '') values.set(keyOf(name), cell);
  }
  return values;
}

/** Returns undefined for an object, and for a list within a list. */
function cellOf(value: unknown): SheetCell | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const items = value.map(textOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  return typeof value === 'object' ? undefined : String(value);
}

function readText(value: unknown, name: string, line: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new LineError('line-not-text', { line, name });
  return value;
}

/** Returns the columns of all lines, and a function for the cells of one line. */
function ndjsonColumns(channel: Channel, placeholders: readonly string[], first: LineValues) {
  const names = new Map<string, string>();
  for (const name of [...recipientColumns(channel, first), ...placeholders, 'reference']) {
    const key = comparableKey(name);
    if (!names.has(key)) names.set(key, name);
  }
  const keys = [...names.keys()];
  const sameLine = channel === 'letter' ? lastLines : new Map<string, string>();
  return {
    names: [...names.values()],
    cellsOf(values: LineValues): SheetCell[] {
      const cells = keys.map((key) => values.get(key) ?? values.get(sameLine.get(key) ?? key) ?? '');
      return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
    },
  };
}

/** The postcode and line 7 are the same line of an address. The first line of the file determines which column is used. */
function recipientColumns(channel: Channel, first: LineValues): string[] {
  const other = first.has('addressline7') ? 'postcode' : 'address line 7';
  return recipientColumnNames[channel]
    .filter((name) => channel !== 'letter' || name !== other)
    .map((name) => name.replaceAll(' ', '_'));
}

const lastLines = new Map([
  ['postcode', 'addressline7'],
  ['addressline7', 'postcode'],
]);

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(name: string): string {
  return name.length <= maxShownName ? name : `${name.slice(0, maxShownName)}…`;
}

/** The problems of a line. `{...}` is replaced by a value of the error's `detail`. */
const lineErrorTexts = {
  'line-not-json': 'Line {line} is not JSON',
  'line-not-object': 'Line {line} must be a JSON object',
  'line-unknown-key': 'Line {line}: {name} was unexpected. A line may have {names}',
  'line-not-text': 'Line {line}: {name} must be a string',
  'line-personalisation': 'Line {line}: personalisation must be an object',
  'line-nested-value':
    'Line {line}: the value of {name} must be a string, a number, a boolean or a list of these. Files can only be sent in single emails',
  'line-two-values': 'Line {line}: personalisation has another value for {name}',
} as const;

class LineError extends SpreadsheetError<keyof typeof lineErrorTexts> {
  constructor(kind: keyof typeof lineErrorTexts, detail: Detail, { cause }: ErrorOptions = {}) {
    super(kind, detail, { texts: lineErrorTexts, cause });
  }
}
