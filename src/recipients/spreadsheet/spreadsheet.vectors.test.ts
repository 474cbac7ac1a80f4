import { describe, expect, it } from 'vitest';
import {
  csvAsShown,
  type ExpectedRow,
  type FileCase,
  kindOfError,
  type ListCase,
  type RecipientsCase,
  textOfCase,
  vectorsOfKind,
  withoutNulls,
} from '../../../test/kit/builders/bulk-vectors.ts';
import {
  type CheckOptions,
  checkSheet,
  chunksOf,
  openSpreadsheet,
} from '../../../test/kit/samples/read-spreadsheet.ts';
import { gb } from '../../countries/gb.ts';
import { PhoneRules } from '../../countries/phone-rules.ts';
import { inEnglish } from '../../language/text.ts';
import type { Sheet } from '../../libraries/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { compileTemplate, contentProblems } from '../../rendering/template.ts';
import type { PostalAddressReason } from '../postal-address.ts';
import { normaliseRecipient } from '../recipient.ts';
import { postalAddressTexts } from '../recipient-texts.ts';
import { buildRow, type Columns, findContactListChannel, recipientColumnNames } from './columns.ts';
import { defaultLimits } from './limits.ts';
import { type CheckedRow, contactListTemplate } from './row-problems.ts';
import { contactListProblemTexts } from './spreadsheet-problems.ts';

const phone = new PhoneRules(gb.phone);

describe('recipients', () => {
  it.each(vectorsOfKind('recipients'))('$id $about', checkRecipients);
});
describe('file', () => {
  it.each(vectorsOfKind('file'))('$id $about', checkFile);
});
describe('contact-list', () => {
  it.each(vectorsOfKind('contact-list'))('$id $about', checkList);
});

function optionsOf(options: Record<string, unknown> = {}): CheckOptions {
  const guests = options.guest_list as string[] | undefined;
  return {
    permissions: {
      internationalSms: options.allow_international_sms === true,
      landlines: options.allow_sms_to_uk_landline === true,
      internationalLetters: options.allow_international_letters === true,
      uncheckedNumbers: options.validate_phone_number === false,
    },
    maxRows: (options.max_rows as number | undefined) ?? 100_000,
    // In the examples an empty list means anyone.
    allowedRecipients:
      guests && guests.length > 0 ? new Set(guests.map((guest) => normaliseRecipient(phone, guest))) : null,
    refuseLetters: false,
    remaining: {
      messages: (options.remaining_messages as number | undefined) ?? null,
      international: (options.remaining_international_sms as number | undefined) ?? null,
    },
    maxRowsShown: 1_000_000,
  };
}

async function checkRecipients(example: RecipientsCase): Promise<void> {
  const { expected, template_type: channel } = example;
  const compiled = compileTemplate(example);
  const template = {
    channel,
    placeholders: compiled.placeholders,
    contentProblems: (values: Record<string, unknown>) => contentProblems(compiled, values),
  };
  const sheet = await openSpreadsheet('recipients.csv', chunksOf(textOfCase(example)), { channel });
  const options = optionsOf(example.options);
  const { columns, rows, records, summary, problems } = await checkSheet(sheet, template, options);

  if (expected.column_headers) expect(columns.names).toEqual(expected.column_headers);
  expect({
    hasRecipient: summary.has_recipient_columns,
    missing: summary.missing_columns,
    duplicates: summary.duplicate_columns,
    rows: summary.row_count,
    abroad: summary.international_count,
    allowed: summary.not_allowed_count === 0,
    counts: summary.row_problem_counts,
    withProblems: rows
      .filter(({ problems }) => problems.length > 0)
      .map(({ index }) => index)
      .slice(0, 200),
    first: problems[0] ?? null,
    shown: summary.rows_shown.slice(0, maxShown(example, problems, columns)).map(({ row }) => row - 2),
  }).toEqual({
    hasRecipient: expected.has_recipient_columns,
    missing: expected.missing_column_headers,
    duplicates: expected.duplicate_recipient_column_headers,
    rows: expected.row_count,
    abroad: expected.international_sms_count,
    allowed: expected.allowed_to_send_to,
    counts: expected.row_error_counts,
    withProblems: expected.rows_with_errors,
    first: expected.first_problem,
    shown: expected.displayed_rows.filter((row) => row !== null),
  });
  for (const row of expected.rows ?? expected.rows_sample ?? []) {
    if (row) checkRow(example, row, rows[row.index], buildRow(columns, records[row.index] ?? []), columns);
  }
}

function maxShown({ options }: RecipientsCase, problems: string[], columns: Columns): number {
  const bad = problems.includes('row-errors') && columns.missing.length === 0;
  return (bad ? (options?.max_errors_shown ?? 20) : (options?.max_initial_rows_shown ?? 10)) as number;
}

function checkRow(
  { template_type, csv }: RecipientsCase,
  expected: ExpectedRow,
  actual: CheckedRow | undefined,
  row: ReturnType<typeof buildRow>,
  columns: Columns,
): void {
  if (!actual) throw new Error(`row ${expected.index} is missing`);
  // A no-break space becomes a space here, where the examples remove it.
  const glued = (value: unknown) =>
    /[\u00a0\u202f]/.test(csv ?? '') && typeof value === 'string' ? value.replaceAll(' ', '') : value;
  const recipientKeys = new Set(recipientColumnNames[template_type].map(comparableKey));

  const cells = new Map(
    columns.columns.map(({ key, used }, index) => [key, { value: row.values[index] ?? null, used }]),
  );
  for (const [key, { value, error, unused }] of Object.entries(expected.cells)) {
    const cell = cells.get(key);
    expect([key, glued(cell?.value), cell?.used]).toEqual([key, glued(withoutNulls(value)), !unused]);
    const problem = actual.problems.find(({ column }) => column !== null && comparableKey(column) === key);
    expect([key, problem?.message]).toEqual([key, error]);
  }
  expect(trimEnd(row.surplus)).toEqual(trimEnd(expected.surplus ?? []));

  const kept = Object.entries(expected.personalisation).filter(
    ([key]) => template_type === 'letter' || !recipientKeys.has(key) || hasKey(actual.personalisation, key),
  );
  for (const [key, value] of kept) {
    expect([key, glued(valueIn(actual.personalisation, key))]).toEqual([key, glued(withoutNulls(value))]);
  }
  const extra = Object.entries(actual.personalisation).filter(
    ([name, value]) => value !== null && !(comparableKey(name) in expected.personalisation),
  );
  expect(extra).toEqual([]);

  const kinds = [...new Set(actual.problems.map(({ kind }) => kind))].sort();
  expect(kinds).toEqual(expected.flags.filter((flag) => flag !== 'error').sort());
  expect(actual.reference).toEqual(expected.client_reference ?? null);
  if (typeof expected.recipient === 'string') expect(glued(actual.recipient)).toBe(glued(expected.recipient));
  if (expected.address) checkAddress(expected.address, actual);
}

const reasonOfProblem = new Map<string, PostalAddressReason>([
  ['first-two-lines-need-letter-or-digit', 'invalid-address-line-1-or-2'],
  ['bfpo-with-country', 'has-country-for-bfpo-address'],
  ['not-enough-lines', 'not-enough-address-lines'],
  ['too-many-lines', 'too-many-address-lines'],
  ['last-line-not-postcode-or-country', 'not-a-real-uk-postcode-or-country'],
  ['abroad-not-allowed', 'cant-send-international-letters'],
  ['last-line-not-postcode', 'not-a-real-uk-postcode'],
  ['line-starts-with-invalid-character', 'invalid-char-in-address'],
  ['no-fixed-abode', 'no-fixed-abode-address'],
]);

function checkAddress(expected: NonNullable<ExpectedRow['address']>, actual: CheckedRow): void {
  const message = actual.problems.find(({ kind }) => kind === 'bad-recipient')?.message;
  const reason = expected.problem === null ? undefined : reasonOfProblem.get(expected.problem);
  expect(message).toBe(reason && inEnglish(postalAddressTexts(gb)[reason]));
  expect(actual.destination !== null).toBe(expected.valid);
  if (actual.destination?.channel !== 'letter') return;
  const { lines, zone, international } = actual.destination.address;
  expect({ lines, zone, international }).toEqual({
    lines: expected.lines,
    zone: expected.zone,
    international: expected.international,
  });
}

function trimEnd(cells: string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

const hasKey = (values: object, key: string) => Object.keys(values).some((name) => comparableKey(name) === key);
const valueIn = (values: object, key: string) =>
  Object.entries(values).find(([name]) => comparableKey(name) === key)?.[1] ?? null;

async function checkFile({ filename, bytes_base64, limits, expected }: FileCase): Promise<void> {
  const read = () =>
    readAll(
      openSpreadsheet(filename, chunksOf(Buffer.from(bytes_base64, 'base64')), {
        limits: { ...defaultLimits, rows: limits?.row_limit ?? defaultLimits.rows },
      }),
    );
  if (expected.csv !== undefined) {
    expect(await read()).toEqual(
      await readAll(openSpreadsheet('expected.csv', chunksOf(csvAsShown(filename, expected.csv)))),
    );
    return;
  }
  const kind = expected.can_handle ? kindOfError.get(expected.raises ?? '') : 'not-a-spreadsheet';
  await expect(read()).rejects.toMatchObject({ kind, constructor: SpreadsheetError });
}

async function readAll(opening: Promise<Sheet>): Promise<string[][]> {
  const { header, batches } = await opening;
  const rows = [[...header.names]];
  for await (const batch of batches) rows.push(...batch.rows.map((cells) => cells.map(String)));
  // Spaces around a cell of a workbook would not survive as csv.
  return rows.map((cells) => trimEnd(cells.map((cell) => cell.trim())));
}

async function checkList({ csv, expected }: ListCase): Promise<void> {
  const sheet = await openSpreadsheet('list.csv', chunksOf(csv));
  const channel = findContactListChannel(sheet.header);
  expect(channel ?? null).toBe(expected.template_type);
  if (expected.problem !== null) expect(Object.keys(contactListProblemTexts)).toContain(expected.problem);
  if (channel === undefined) {
    expect(expected.problem).toBe('columns');
    return;
  }
  const { problems, summary } = await checkSheet(sheet, contactListTemplate(channel), optionsOf());
  expect([problems[0] ?? null, summary.row_count]).toEqual([expected.problem, expected.row_count]);
}
