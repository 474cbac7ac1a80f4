import { describe, expect, it } from 'vitest';
import {
  type Cell,
  csvAsShown,
  type FileCase,
  kindOfError,
  type ListCase,
  type RecipientsCase,
  textOfCase,
  vectorsOfKind,
  withoutNulls,
} from '../../../test/kit/builders/bulk-vectors.ts';
import { aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { type Answer, adminToken, useHarness } from '../../../test/kit/harness.ts';
import { readSpreadsheet } from '../../../test/kit/samples/read-spreadsheet.ts';
import { fileErrorTexts } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { readReadyRows } from './ready-row.ts';

/** The examples of files, as they are uploaded: what one says about reading is tested beside the reader. */
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const services = new Map<string, Promise<string>>();

const upload = (service: string, query: Record<string, string>, payload: string | Buffer): Promise<Answer> =>
  harness.request({
    method: 'POST',
    url: `/service/${service}/upload?${new URLSearchParams(query)}`,
    headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'application/octet-stream' },
    payload,
  });

const chunksOfUpload = (id: string) =>
  harness.app.db
    .selectFrom('upload_chunks')
    .select(['cells', 'messages', 'problems'])
    .where('upload_id', '=', id)
    .orderBy('first_row')
    .execute();

const aServiceWith = (options: Record<string, unknown>, letters: boolean): Promise<string> => {
  const key = JSON.stringify([options, letters]);
  const made = services.get(key) ?? createService(options, letters);
  services.set(key, made);
  return made;
};

async function createService(options: Record<string, unknown>, letters: boolean): Promise<string> {
  const permissions = ['sms', 'email', 'letter'];
  if (options.allow_international_sms) permissions.push('international_sms');
  if (options.allow_international_letters) permissions.push('international_letters');
  if (options.allow_sms_to_uk_landline) permissions.push('sms_to_uk_landlines');
  const left = Math.max(0, (options.remaining_messages as number | undefined) ?? 1_000_000);
  const abroad = Math.max(0, (options.remaining_international_sms as number | undefined) ?? 1_000_000);
  const guests = (options.guest_list ?? []) as string[];
  // A letter goes to anyone, but no letter is sent in trial mode, which the examples do not know.
  const restricted = guests.length > 0 && !letters;
  const service = await aService(harness, {
    permissions,
    restricted,
    sms_message_limit: left,
    email_message_limit: left,
    letter_message_limit: left,
    international_sms_message_limit: abroad,
    created_by_id: await aUser(harness, { mobile_number: '07911123456' }),
  });
  if (restricted) {
    const isEmail = (guest: string) => guest.includes('@');
    const { status } = await harness.admin('PUT', `/service/${service}/guest-list`, {
      email_addresses: guests.filter(isEmail),
      phone_numbers: guests.filter((guest) => !isEmail(guest)),
    });
    expect(status).toBe(204);
  }
  return service;
}

describe('recipients', () => {
  const ofPages = vectorsOfKind('recipients').filter(
    ({ options }) =>
      // Numbers of contact lists are checked like any others.
      options?.validate_phone_number !== false,
  );
  it.each(ofPages)('$id $about', checkRecipients, 60_000);
});

async function checkRecipients(example: RecipientsCase): Promise<void> {
  const { expected, template_type, content, subject, options = {} } = example;
  const service = await aServiceWith(options, template_type === 'letter');
  const template = await aTemplate(harness, service, {
    template_type,
    content,
    subject: template_type === 'sms' ? null : (subject ?? ''),
  });
  harness.app.config.bulk.maxRows = (options.max_rows as number | undefined) ?? 100_000;
  const { status, body } = await upload(
    service,
    { filename: 'recipients.csv', template_id: template },
    textOfCase(example),
  );
  expect(status).toBe(201);
  const record = body.data;
  if (expected.column_headers) expect(record.column_headers).toEqual(expected.column_headers);
  const chunks = await chunksOfUpload(record.id);
  const withProblems = chunks.flatMap(({ problems }) =>
    (JSON.parse(problems ?? '[]') as { row: number }[]).map(({ row }) => row),
  );
  expect({
    first: record.first_problem,
    valid: record.valid,
    missing: record.missing_column_headers,
    duplicates: record.duplicate_recipient_column_headers,
    rows: record.row_count,
    counts: record.row_problem_counts,
    withProblems: withProblems.slice(0, 200),
    shown: record.rows_shown.slice(0, maxShown(example, record)).map(({ row }: { row: number }) => row - 2),
  }).toEqual({
    first: expected.first_problem,
    valid: expected.first_problem === null,
    missing: expected.missing_column_headers,
    duplicates: expected.duplicate_recipient_column_headers,
    rows: expected.row_count,
    counts: expected.row_error_counts,
    withProblems: expected.rows_with_errors,
    shown: expected.displayed_rows.filter((row) => row !== null).slice(0, 50),
  });
  const messages = chunks.flatMap((chunk) => [...readReadyRows(chunk.messages ?? '[]')]);
  for (const row of expected.rows ?? expected.rows_sample ?? []) {
    const ready = row && messages[row.index];
    if (!row || !ready) continue;
    expect(ready.client_reference).toEqual(row.client_reference ?? null);
    checkValues(example, ready.personalisation, row.personalisation);
  }
}

function maxShown({ options = {} }: RecipientsCase, record: Answer['body']): number {
  const bad = record.problem_counts['row-errors'] !== undefined && record.missing_column_headers.length === 0;
  const limit = bad ? (options.max_errors_shown ?? 20) : (options.max_initial_rows_shown ?? 10);
  return Math.min(50, limit as number);
}

/** Placeholders have the spelling of the template here, and no nulls. */
function checkValues(
  { csv }: RecipientsCase,
  actual: Record<string, unknown>,
  expected: Record<string, Cell['value']>,
): void {
  // A no-break space becomes a space here, where the examples remove it.
  const glued = (value: unknown) =>
    /[\u00a0\u202f]/.test(csv ?? '') && typeof value === 'string' ? value.replaceAll(' ', '') : value;
  for (const [name, value] of Object.entries(actual)) {
    const wanted = Object.entries(expected).find(([key]) => key === comparableKey(name));
    expect([name, glued(value)]).toEqual([name, glued(withoutNulls(wanted?.[1] ?? null))]);
  }
}

describe('file', () => {
  // The number of rows that a workbook may have is no setting.
  const files = vectorsOfKind('file').filter(({ limits }) => limits === undefined);
  it.each(files)('$id $about', checkFile, 60_000);
});

async function checkFile({ filename, bytes_base64, expected }: FileCase): Promise<void> {
  const service = await aServiceWith({}, false);
  const before = await countUploads(service);
  const { status, body } = await upload(service, { filename }, Buffer.from(bytes_base64, 'base64'));
  if (expected.csv === undefined) {
    const kind = expected.can_handle ? kindOfError.get(expected.raises ?? '') : 'not-a-spreadsheet';
    const message = fileErrorTexts[kind ?? 'unreadable'].replace('{limit}', '1,000');
    expect([status, body]).toEqual([400, { result: 'error', message }]);
    expect(await countUploads(service)).toBe(before);
    return;
  }
  expect(status).toBe(201);
  const { header, rows } = await readSpreadsheet('expected.csv', csvAsShown(filename, expected.csv));
  const trimmed = (cells: readonly unknown[]) => cells.map((cell) => String(cell).trim());
  const withoutEnd = (cells: string[]) => cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  const stored: string[][] = (await chunksOfUpload(body.data.id)).flatMap(({ cells }) => JSON.parse(cells));
  expect(trimmed(body.data.column_headers)).toEqual(trimmed([...new Set(header)]));
  expect(stored.map((cells) => withoutEnd(trimmed(cells)))).toEqual(rows.map((cells) => withoutEnd(trimmed(cells))));
}

async function countUploads(service: string): Promise<number> {
  const { count } = await harness.app.db
    .selectFrom('uploads')
    .select((table) => table.fn.countAll<number>().as('count'))
    .where('service_id', '=', service)
    .executeTakeFirstOrThrow();
  return count;
}

describe('contact-list', () => {
  it.each(vectorsOfKind('contact-list'))('$id $about', async ({ csv, expected }: ListCase) => {
    const service = await aServiceWith({}, false);
    harness.app.config.bulk.maxRows = 100_000;
    const { body } = await upload(service, { filename: 'list.csv', contact_list: 'true' }, csv);
    expect(body.data).toMatchObject({
      contact_list: true,
      template_type: expected.template_type,
      first_problem: expected.problem,
      row_count: expected.row_count,
      valid: expected.problem === null,
    });
  });
});
