import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { type Answer, adminToken, useHarness } from '../../test/kit/harness.ts';

/** Whatever is wrong with a request, it gets its error, and nothing of it is stored or counted. */

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { bulk: { maxRows: 2 } } });
const bulk = '/v2/notifications/bulk';
let service: string;
let user: string;
let template: string;
let key: string;
let stored: unknown;

beforeAll(async () => {
  service = await aService(harness, { sms_message_limit: 1 });
  user = await aUser(harness);
  template = await aTemplate(harness, service, { content: 'Hello ((name))' });
  key = await anApiKey(harness, service);
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
});
beforeEach(async () => {
  stored = await countStored();
});
afterEach(async () => {
  expect(await countStored()).toEqual(stored);
});

async function countStored(): Promise<unknown> {
  const { rows } = await harness.app.pool.query(
    `select (select count(*) from uploads) as uploads, (select count(*) from upload_chunks) as chunks,
      (select count(*) from jobs where status <> 'cancelled') as jobs, (select count(*) from notifications) as messages,
      (select count(*) from idempotency_keys) as idempotency_keys,
      (select coalesce(sum(reserved), 0) from jobs) as reserved,
      (select coalesce(sum(count), 0) from daily_message_counts) as counted`,
  );
  return rows[0];
}

const errorsOf = ({ status, body }: Answer): [number, ...string[]] => [
  status,
  ...body.errors.map(({ message }: { message: string }) => message),
];

type Row = [phone: string, name: string];
const good: Row = ['07700900001', 'Ada'];
const csvOf = (rows: Row[]) => ['phone number,name', ...rows.map((row) => row.join())].join('\n');
const linesOf = (rows: Row[]) =>
  rows.map(([phone_number, name]) => `${JSON.stringify({ phone_number, personalisation: { name } })}\n`).join('');

function postJson(fields: object, query = ''): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  return harness.v2('POST', `${bulk}${query}`, key, { template_id: template, name: 'n', ...fields }, headers);
}

function postText(type: string, payload: string, fields: Record<string, string>): Promise<Answer> {
  return harness.request({
    method: 'POST',
    url: `${bulk}?${new URLSearchParams({ template_id: template, name: 'n', ...fields })}`,
    headers: { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': randomUUID() },
    payload,
  });
}

/** The same rows and parameters in each of the forms that the endpoint takes. */
const forms: [string, (fields: Record<string, string>, rows?: Row[]) => Promise<Answer>][] = [
  ['JSON rows', (fields, rows = [good]) => postJson({ rows: [['phone number', 'name'], ...rows], ...fields })],
  ['JSON csv', (fields, rows = [good]) => postJson({ csv: csvOf(rows), ...fields })],
  ['CSV', (fields, rows = [good]) => postText('text/csv', csvOf(rows), fields)],
  ['NDJSON', (fields, rows = [good]) => postText('application/x-ndjson', linesOf(rows), fields)],
];

describe('POST /v2/notifications/bulk', () => {
  const noDate =
    'scheduled_for datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601';
  const ids = { unknown: randomUUID(), foreign: '', archived: '', foreignSender: '', oldSender: '', replyTo: '' };
  beforeAll(async () => {
    const other = await aService(harness);
    ids.foreign = await aTemplate(harness, other);
    ids.archived = await aTemplate(harness, service, { archived: true });
    ids.foreignSender = await aReplyTo(harness, other, 'sms');
    ids.oldSender = await aReplyTo(harness, service, 'sms', { archived: true });
    ids.replyTo = await aReplyTo(harness, service, 'email');
  });
  const noSender = (id: string) => `sms_sender_id ${id} does not exist in database for service id ${service}`;

  it.each(forms)('4xx names what is wrong with a parameter: %s', async (_form, post) => {
    const cases: [Record<string, string>, number, string][] = [
      [{ template_id: ids.unknown }, 404, 'No result found'],
      [{ template_id: ids.foreign }, 403, 'Invalid token: service not found'],
      [{ template_id: ids.archived }, 400, `Template ${ids.archived} has been deleted`],
      [{ template_id: '1' }, 400, 'template_id is not a valid UUID'],
      [{ reply_to_id: ids.foreignSender }, 400, noSender(ids.foreignSender)],
      [{ reply_to_id: ids.oldSender }, 400, noSender(ids.oldSender)],
      [{ reply_to_id: ids.replyTo }, 400, noSender(ids.replyTo)],
      [{ reply_to_id: '1' }, 400, 'reply_to_id is not a valid UUID'],
      [{ scheduled_for: '2026-11-16T11:59:59Z' }, 400, 'scheduled_for datetime cannot be in the past'],
      [{ scheduled_for: '2026-11-23T12:00:01Z' }, 400, 'scheduled_for datetime can only be up to 7 days in the future'],
      [{ scheduled_for: '2026-11-31T12:00:00Z' }, 400, noDate],
      [{ scheduled_for: 'soon' }, 400, noDate],
      [{ on_error: 'ignore' }, 400, 'on_error ignore is not one of [reject, skip]'],
      [{ surprise: '1' }, 400, 'Additional properties are not allowed (surprise was unexpected)'],
    ];
    for (const [fields, status, message] of cases) {
      expect([fields, ...errorsOf(await post(fields))]).toEqual([fields, status, message]);
    }
  });

  it.each(forms)('400 names what is wrong with the rows: %s', async (form, post) => {
    const column = form === 'NDJSON' ? 'phone_number' : 'phone number';
    const limit = (rows: number) =>
      `You only have 1 remaining sms messages before you reach your daily limit. You've tried to send ${rows} sms messages.`;
    const cases: [Row[], string][] = [
      [[], 'There must be at least one row'],
      [[['nope', 'Ada']], `Some rows have errors. Row 1 - \`${column}\`: invalid recipient.`],
      [[['07700900001', '']], 'Some rows have errors. Row 1 - `name`: Missing.'],
      [[good, good], limit(2)],
    ];
    for (const [rows, message] of cases) expect(errorsOf(await post({}, rows))).toEqual([400, message]);
    const scheduled = await post({ scheduled_for: '2026-11-17T12:00:00Z' }, [good, good, good]);
    expect(errorsOf(scheduled)).toEqual([400, 'Too many rows. Maximum number of rows allowed is 2']);
  });

  it.each([
    [{ template_id: 1 }, 'template_id is not a valid UUID'],
    [{ name: 1 }, 'name 1 is not of type string'],
    [{ name: undefined }, 'name is a required property'],
    [{ rows: 'x' }, 'rows x is not of type array'],
    [{ rows: null }, 'rows None is not of type array'],
    [{ rows: [] }, 'rows [] is too short'],
    [{ rows: [['phone number', 'name'], null] }, 'rows None is not of type array'],
    [
      { rows: [['phone number', 'name', 'Phone_Number'], good] },
      'Duplicate column headers: Phone_Number, phone number',
    ],
    [{ rows: [['phone number'], ['07700900001']] }, 'Missing column headers: name'],
    [
      {
        rows: [
          ['phone number', 'name'],
          [{ a: 1 }, [2]],
        ],
      },
      'Some rows have errors. Row 1 - `phone number`: invalid recipient.',
    ],
    [{ csv: 1 }, 'csv 1 is not of type string'],
    [{ csv: '' }, 'You should specify either rows or csv'],
    [{ csv: 'x', rows: [['x'], ['y']] }, 'You should specify either rows or csv'],
    [{ csv: 'x', scheduled_for: 42 }, 'scheduled_for 42 is not of type string, null'],
    [{ csv: 'x', reply_to_id: 1 }, 'reply_to_id is not a valid UUID'],
    [{ csv: 'x', reference: 1 }, 'reference 1 is not of type string'],
  ])('400 for JSON with %j', async (fields, message) => {
    expect(errorsOf(await postJson(fields))).toEqual([400, message]);
  });

  it('400 for parameters of JSON that are in the query, because they would be ignored', async () => {
    const csv = csvOf([good]);
    const unexpected = (name: string) => `Additional properties are not allowed (${name} was unexpected)`;
    expect(errorsOf(await postJson({ csv }, '?scheduled_for=2026-11-17T12:00:00Z'))).toEqual([
      400,
      unexpected('scheduled_for'),
    ]);
    expect(errorsOf(await postJson({ csv }, '?on_error=reject'))).toEqual([400, unexpected('on_error')]);
    expect(errorsOf(await postJson({ csv }, '?dry_run=yes please'))).toEqual([400, 'dry_run yes please is not valid']);
  });

  it.each([
    ['{"template_id":', 'Invalid JSON supplied in POST data'],
    ['"x"', 'x is not of type object'],
    ['[]', 'template_id is a required property'],
  ])('400 for %s', async (payload, message) => {
    const response = await harness.request({
      method: 'POST',
      url: bulk,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload,
    });
    expect(errorsOf(response).slice(0, 2)).toEqual([400, message]);
  });
});

describe('a body that ends early', () => {
  const many = Array.from({ length: 3_000 }, () => good);
  const toBulk = () => [`${bulk}?template_id=${template}&name=n`, key] as const;
  const toUpload = (name: string) => () =>
    [`/service/${service}/upload?filename=${name}`, adminToken(harness.clock)] as const;

  /** Some rows are stored before the end is missed. */
  it.each([
    ['CSV', 'text/csv', toBulk, csvOf(many)],
    ['NDJSON', 'application/x-ndjson', toBulk, linesOf(many)],
    ['JSON', 'application/json', () => [bulk, key] as const, '{"template_id":'],
    ['an uploaded file', 'text/csv', toUpload('a.csv'), csvOf(many)],
    ['an uploaded workbook', 'application/octet-stream', toUpload('a.xlsx'), 'PK\x03\x04'],
  ])('leaves nothing: %s', async (_what, type, door, text) => {
    harness.logged.length = 0;
    const [path, token] = door();
    const { port } = harness.http.server.address() as AddressInfo;
    const arrived = new Promise((resolve) => harness.http.server.once('request', resolve));
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': '1000000' };
    const client = httpRequest({ port, host: '127.0.0.1', path, method: 'POST', headers });
    client.on('error', () => undefined);
    client.write(text);
    await arrived;
    if (text.length > 1_000) await vi.waitFor(async () => expect(await countStored()).not.toEqual(stored), 10_000);
    client.destroy();
    await vi.waitFor(async () => expect(await countStored()).toEqual(stored), 10_000);
    expect(harness.logged.filter((line) => line.includes('request.failed'))).toEqual([]);
  });
});

describe('POST /service/{service_id}/job', () => {
  const start = (id: unknown, fields: object = {}, of = service) =>
    harness.admin('POST', `/service/${of}/job`, { id, created_by: user, ...fields });
  const cancel = (id: string) => harness.admin('POST', `/service/${service}/job/${id}/cancel`);
  let id: string;
  beforeAll(async () => {
    const { body } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=a.csv&template_id=${template}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload: csvOf([good]),
    });
    id = body.data.id;
  });

  it.each([
    [{ id: 1 }, { id: ['Not a valid UUID.'] }],
    [{ id: null }, { id: ['Field may not be null.'] }],
    [{ created_by: 1 }, { created_by: ['Not a valid UUID.'] }],
    [{ scheduled_for: 42 }, { scheduled_for: ['Not a valid datetime.'] }],
    [{ scheduled_for: '2026-11-31T12:00:00' }, { scheduled_for: ['Not a valid datetime.'] }],
    [{ scheduled_for: '2026-11-16T11:59:59Z' }, { scheduled_for: ['Date cannot be in the past'] }],
    [{ scheduled_for: '2026-11-23T12:00:01Z' }, { scheduled_for: ['Datetime can only be up to 7 days in the future'] }],
    [{ on_error: 1 }, { on_error: ['Must be one of: reject, skip.'] }],
    [{ contact_list_id: randomUUID() }, { contact_list_id: ['No result found'] }],
  ])('400 for %j', async (fields, message) => {
    const { status, body } = await start(id, fields);
    expect([status, body]).toEqual([400, { result: 'error', message }]);
  });

  it('404 for an upload of another service', async () => {
    expect((await start(id, {}, await aService(harness))).status).toBe(404);
  });

  it('refuses a second start, and cancels once', async () => {
    const scheduled_for = '2026-11-17T12:00:00Z';
    expect((await start(id, { scheduled_for })).status).toBe(201);
    expect((await start(id)).body).toEqual({ result: 'error', message: 'This upload has already been sent' });
    expect((await cancel(id)).body.data.job_status).toBe('cancelled');
    const again = await cancel(id);
    expect([again.status, again.body]).toEqual([404, { result: 'error', message: 'No result found' }]);
    const late = await start(id);
    expect([late.status, late.body.message]).toEqual([400, 'This upload has already been sent']);
  });
});
