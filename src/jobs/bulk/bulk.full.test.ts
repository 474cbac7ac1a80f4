import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { type Answer, type Harness, useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/bulk';
let service: string;
let key: string;
let sms: string;
let email: string;
let letter: string;

beforeAll(async () => {
  ({ service, key, sms, email, letter } = await world());
});
beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  // A service may have only a few unfinished sends.
  await harness.runTasks();
});

async function world(fields: Parameters<typeof aService>[1] = {}, key_type: 'normal' | 'team' | 'test' = 'normal') {
  const service = await aService(harness, fields);
  return {
    service,
    key: await anApiKey(harness, service, { key_type }),
    sms: await aTemplate(harness, service, { content: 'Hello ((name))' }),
    email: await aTemplate(harness, service, { template_type: 'email', subject: 'Hi', content: 'Items: ((items))' }),
    letter: await aTemplate(harness, service, { template_type: 'letter', subject: 'Hi', content: 'Dear ((name))' }),
  };
}

type Caller = Pick<Harness, 'request' | 'v2'>;

function post(body: object, headers: Record<string, string> = {}, as = key, process: Caller = harness) {
  return process.v2('POST', url, as, body, { 'content-type': 'application/json', ...headers });
}

function postText(
  type: string,
  payload: string | Buffer,
  parameters: Record<string, string>,
  { as = key, headers = {}, process = harness as Caller } = {},
): Promise<Answer> {
  return process.request({
    method: 'POST',
    url: `${url}?${new URLSearchParams({ name: 'list', ...parameters })}`,
    headers: { authorization: `Bearer ${as}`, 'content-type': type, ...headers },
    payload,
  });
}

const postCsv = (csv: string, parameters: Record<string, string> = {}, more = {}) =>
  postText('text/csv', csv, { template_id: sms, ...parameters }, more);
const postNdjson = (lines: object[], parameters: Record<string, string> = {}, more = {}) =>
  postText(
    'application/x-ndjson',
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    { template_id: sms, ...parameters },
    more,
  );

async function messagesOf(job: string) {
  await harness.runTasks();
  return harness.app.db
    .selectFrom('notifications')
    .selectAll()
    .where('job_id', '=', job)
    .orderBy('job_row_number')
    .execute();
}

async function storedOf(of: string): Promise<number> {
  return (await harness.app.db.selectFrom('uploads').select('id').where('service_id', '=', of).execute()).length;
}

const messageOf = ({ body }: Answer) => body.errors?.map(({ message }: { message: string }) => message).join('; ');

describe('POST /v2/notifications/bulk', () => {
  it('201 with the job, whose rows become notifications', async () => {
    const response = await post({
      template_id: sms,
      name: 'Reminders',
      rows: [
        ['phone number', 'name', 'reference'],
        ['07700900001', 'Ada', 'r1'],
        ['07700900002', 5],
      ],
      reference: 'mine',
    });
    expect(response.status).toBe(201);
    const { data } = response.body;
    expect(data).toMatchObject({
      service,
      template: sms,
      template_version: 1,
      template_type: 'sms',
      original_file_name: 'Reminders',
      notification_count: 2,
      rows_done: 0,
      rows_skipped: 0,
      job_status: 'pending',
      api_key: { key_type: 'normal' },
      created_at: '2026-11-16T12:00:00.000000Z',
      scheduled_for: null,
      archived: false,
      statistics: [],
    });
    expect(await messagesOf(data.id)).toMatchObject([
      { recipient: '07700900001', personalisation: { name: 'Ada' }, client_reference: 'r1', job_row_number: 0 },
      { recipient: '07700900002', personalisation: { name: '5' }, client_reference: 'mine', key_type: 'normal' },
    ]);
  });

  it('201 keeps the digits of numbers as they were written', async () => {
    const payload = `{"template_id":"${sms}","name":"n","rows":[["phone number","name"],["07700900001",1.50],["07700900002",12345678901234567890]]}`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await harness.request({ method: 'POST', url, headers, payload });
    const values = (await messagesOf(response.body.data.id)).map(({ personalisation }) => personalisation);
    expect(values).toEqual([{ name: '1.50' }, { name: '12345678901234567890' }]);
  });

  it('201 for CSV, with its parameters in the query', async () => {
    const response = await postCsv('phone number;name\r\n07700900001;Zoë\r\n', { reference: 'all', name: 'List ü' });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ original_file_name: 'List ü', notification_count: 1 });
    expect(await messagesOf(response.body.data.id)).toMatchObject([
      { personalisation: { name: 'Zoë' }, client_reference: 'all' },
    ]);
  });

  it('201 for NDJSON, with lists, references and numbers', async () => {
    const payload = [
      '{"email_address":"a@example.com","personalisation":{"ITEMS":["tea",2.50,null]},"reference":"one"}',
      '{"email_address":"b@example.com","personalisation":{"items":["only"],"other":true}}',
      '{"personalisation":{"items":1.0},"email_address":"c@example.com"}',
    ].join('\n');
    const response = await postText('application/x-ndjson; charset=utf-8', payload, { template_id: email });
    expect(response.status).toBe(201);
    expect(await messagesOf(response.body.data.id)).toMatchObject([
      { recipient: 'a@example.com', personalisation: { items: ['tea', '2.50'] }, client_reference: 'one' },
      { personalisation: { items: ['only'] }, client_reference: null },
      { personalisation: { items: '1.0' } },
    ]);
  });

  it('201 for letters, by columns and by NDJSON', async () => {
    const csv = 'address line 1,address line 2,postcode,name\nAda,1 High Street,SW1A 1AA,Ada\n';
    const byColumns = await postCsv(csv, { template_id: letter });
    const line = { address_line_1: 'Ada', address_line_2: '1 High Street', postcode: 'SW1A 1AA', name: 'Ada' };
    const byLine = await postNdjson([{ personalisation: line, reference: 'r' }], { template_id: letter });
    for (const [response, client_reference] of [
      [byColumns, null],
      [byLine, 'r'],
    ] as const) {
      expect(response.status).toBe(201);
      expect(await messagesOf(response.body.data.id)).toMatchObject([
        { recipient: 'Ada\n1 High Street\nSW1A 1AA', personalisation: line, postage: 'second', client_reference },
      ]);
    }
  });

  it('201 scheduled up to 7 days ahead, and stores nothing beyond', async () => {
    const csv = 'phone number,name\n07700900001,Ada';
    const response = await postCsv(csv, { scheduled_for: '2026-11-23T14:00:00+02:00' });
    expect(response.body.data).toMatchObject({
      job_status: 'scheduled',
      scheduled_for: '2026-11-23T12:00:00.000000Z',
    });
    const late = await postCsv(csv, { scheduled_for: '2026-11-23T12:00:01Z' });
    expect([late.status, messageOf(late)]).toEqual([
      400,
      'scheduled_for datetime can only be up to 7 days in the future',
    ]);
  });

  it('201 with the chosen sender', async () => {
    const sender = await aReplyTo(harness, service, 'sms', { text: 'OTHER' });
    const response = await postCsv('phone number,name\n07700900001,Ada', { reply_to_id: sender });
    expect(response.body.data.sender_id).toBe(sender);
    expect(await messagesOf(response.body.data.id)).toMatchObject([{ reply_to_text: 'OTHER' }]);
  });

  it('201 with on_error=skip sends the other rows', async () => {
    const csv = 'phone number,name\n07700900001,Ada\nnope,Bob\n07700900003,\n07700900004,Cy';
    const rejected = await postCsv(csv);
    expect([rejected.status, messageOf(rejected)]).toEqual([
      400,
      'Some rows have errors. Row 2 - `phone number`: invalid recipient. Row 3 - `name`: Missing.',
    ]);
    const response = await postCsv(csv, { on_error: 'skip' });
    expect(response.body.data).toMatchObject({ notification_count: 4, rows_skipped: 2 });
    const rows = (await messagesOf(response.body.data.id)).map(({ job_row_number }) => job_row_number);
    expect(rows).toEqual([0, 3]);
    const inBody = await post({ template_id: sms, name: 'n', csv, on_error: 'skip' });
    expect(inBody.body.data.rows_skipped).toBe(2);
  });

  it('400 with on_error=skip when no row can be sent', async () => {
    const response = await postCsv('phone number,name\nnope,Bob', { on_error: 'skip' });
    expect([response.status, messageOf(response)]).toEqual([
      400,
      'Some rows have errors. Row 1 - `phone number`: invalid recipient.',
    ]);
  });

  it.each([
    [
      'Row 2',
      'phone number,name\n07700900001,Ada\nnope,\n07700900003,',
      'Some rows have errors. Row 2 - `phone number`: invalid recipient,`name`: Missing. Row 3 - `name`: Missing.',
    ],
    [
      'a long text',
      `phone number,name\nnope,Ada\n07700900001,${'x'.repeat(919)}`,
      'Row 2 - has a character count greater than 918 characters. Some messages may be too long due to custom content.',
    ],
    ['no rows', 'phone number,name\n', 'There must be at least one row'],
    ['an empty body', '', 'There must be at least one row'],
    ['a missing column', 'phone number\n07700900001', 'Missing column headers: name'],
    ['text that is none', '\0\x01\xff', 'Missing column headers: name, phone number'],
  ])('400 for %s', async (_what, csv, message) => {
    const { service, key, sms } = await world();
    const response = await postCsv(csv, { template_id: sms }, { as: key });
    expect([response.status, messageOf(response)]).toEqual([400, message]);
    expect(await storedOf(service)).toBe(0);
  });

  it('400 tells of letters what is wrong with their address', async () => {
    const noColumns = await postCsv('address line 1,name\nAda,Ada', { template_id: letter });
    expect(messageOf(noColumns)).toBe('Missing column headers: address line 2, postcode');
    const csv = 'address line 1,address line 2,postcode,name\nAda,1 High Street,nowhere,Ada';
    expect(messageOf(await postCsv(csv, { template_id: letter }))).toMatch(
      /^Some rows have errors. Row 1 - .*postcode/i,
    );
  });

  it('400 names the line of NDJSON', async () => {
    const response = await postText('application/x-ndjson', '{"phone_number":"07700900001"}\nnot json', {
      template_id: sms,
    });
    expect([response.status, messageOf(response)]).toEqual([400, 'Line 2 is not JSON']);
  });

  it('400 with all problems of the parameters', async () => {
    const response = await postText('text/csv', 'x', {
      template_id: 'no',
      scheduled_for: 'soon',
      extra: '1',
      on_error: 'x',
    });
    expect(response.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'template_id is not a valid UUID',
      'scheduled_for datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601',
      'on_error x is not one of [reject, skip]',
      'Additional properties are not allowed (extra was unexpected)',
    ]);
    const json = await post({ template_id: 'no', rows: [['a'], 'b'] });
    expect(json.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'template_id is not a valid UUID',
      'rows b is not of type array',
      'name is a required property',
    ]);
  });

  it.each([
    [{ rows: [['phone number']] }, 'There must be at least one row'],
    [{ rows: [[]] }, 'There must be at least one row'],
    [{ rows: [['phone number'], ['1']], csv: 'a' }, 'You should specify either rows or csv'],
    [{}, 'You should specify either rows or csv'],
  ])('400 for %j', async (fields, message) => {
    const plain = await aTemplate(harness, service, { content: 'Hi' });
    expect(messageOf(await post({ template_id: plain, name: 'n', ...fields }))).toBe(message);
  });

  it('404, 403 and 400 for a template that is unknown, foreign or deleted', async () => {
    const other = await world();
    const csv = 'phone number,name\n07700900001,Ada';
    const unknown = await postCsv(csv, { template_id: '8f6f23a4-7b5c-4d7e-9d1c-0b8f7d3c2a10' });
    expect([unknown.status, messageOf(unknown)]).toEqual([404, 'No result found']);
    expect((await postCsv(csv, { template_id: other.sms })).status).toBe(403);
    const archived = await aTemplate(harness, service, { archived: true });
    const deleted = await postCsv(csv, { template_id: archived });
    expect([deleted.status, messageOf(deleted)]).toEqual([400, `Template ${archived} has been deleted`]);
  });

  it('403 for a channel that is not allowed', async () => {
    const { key, sms } = await world({ permissions: ['email'] });
    const response = await postCsv('phone number,name\n07700900001,Ada', { template_id: sms }, { as: key });
    expect([response.status, messageOf(response)]).toEqual([403, 'Service is not allowed to send sms']);
  });

  it('403 for letters of team keys and in trial mode', async () => {
    const csv = 'address line 1,address line 2,postcode,name\nAda,1 High Street,SW1A 1AA,Ada\n';
    const team = await world({}, 'team');
    expect((await postCsv(csv, { template_id: team.letter }, { as: team.key })).status).toBe(403);
    const trial = await world({ restricted: true });
    expect((await postCsv(csv, { template_id: trial.letter }, { as: trial.key })).status).toBe(403);
  });

  it('400 for a sender that the service does not have', async () => {
    const reply_to_id = '6ce466d0-fd6a-41e5-82f5-e0accb9d11a6';
    const response = await postCsv('phone number,name\n07700900001,Ada', { reply_to_id });
    expect(messageOf(response)).toBe(
      `sms_sender_id ${reply_to_id} does not exist in database for service id ${service}`,
    );
  });

  it('400 over the daily limit, for all rows or those that are sent', async () => {
    const { key, sms, service } = await world({ sms_message_limit: 2, international_sms_message_limit: 1 });
    const csv = 'phone number,name\n07700900001,Ada\n07700900002,Bob\nnope,Cy';
    const rejected = await postCsv(csv, { template_id: sms }, { as: key });
    expect([rejected.status, messageOf(rejected)]).toEqual([
      400,
      "You only have 2 remaining sms messages before you reach your daily limit. You've tried to send 3 sms messages.",
    ]);
    const abroad = 'phone number,name\n+33612345678,Ada\n+33612345679,Bob';
    expect(messageOf(await postCsv(abroad, { template_id: sms }, { as: key }))).toBe(
      "You only have 1 remaining international sms messages before you reach your daily limit. You've tried to send 2 international sms messages.",
    );
    expect(await storedOf(service)).toBe(0);
    expect((await postCsv(csv, { template_id: sms, on_error: 'skip' }, { as: key })).status).toBe(201);
    const one = 'phone number,name\n07700900001,Ada';
    expect(messageOf(await postCsv(one, { template_id: sms }, { as: key }))).toContain('You only have 0 remaining');
  });

  it('counts one request towards the rate limit', async () => {
    const { key, sms } = await world({ rate_limit: 2 });
    const csv = `phone number,name\n${'07700900001,Ada\n'.repeat(20)}`;
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await postCsv(csv, { template_id: sms }, { as: key })).status);
    }
    expect(statuses).toEqual([201, 201, 429]);
  });

  it('sends to known recipients with team keys, and to anyone with test keys', async () => {
    const creator = await aUser(harness, { mobile_number: '07700900777' });
    const team = await world({ created_by_id: creator, sms_message_limit: 1 }, 'team');
    const known = 'phone number,name\n07700 900777,Ada';
    const unknown = 'phone number,name\n07700900001,Ada\n07700900002,Bob';
    expect((await postCsv(known, { template_id: team.sms }, { as: team.key })).status).toBe(201);
    const test = await anApiKey(harness, team.service, { key_type: 'test' });
    const simulated = await postCsv(unknown, { template_id: team.sms }, { as: test });
    expect(simulated.status).toBe(201);
    expect(await messagesOf(simulated.body.data.id)).toMatchObject([{ key_type: 'test' }, { key_type: 'test' }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('415 for %s', async (type) => {
    const response = await postText(type, 'phone number\n07700900001', { template_id: sms });
    expect(response.status).toBe(415);
    expect(response.body).toEqual({
      status_code: 415,
      errors: [
        {
          error: 'BadRequestError',
          message: 'Content-Type must be one of application/json, text/csv, application/x-ndjson',
        },
      ],
    });
  });

  it('400 for JSON that is none, or not there', async () => {
    for (const payload of ['{"a":', '']) {
      const response = await postText('application/json', payload, {});
      expect([response.status, messageOf(response)]).toEqual([400, 'Invalid JSON supplied in POST data']);
    }
  });

  it('401 and 403 before the body is read', async () => {
    const response = await harness.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'text/csv' },
      payload: 'x',
    });
    expect(response.status).toBe(401);
    expect((await postCsv('x', {}, { as: key.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })).status).toBe(403);
  });

  it('413 beyond BULK_MAX_BYTES, and nothing stays', async () => {
    const { service, key, sms } = await world();
    const small = await harness.anotherProcess({ bulk: { maxBytes: 20_000 } });
    const csv = `phone number,name\n${'07700900001,Ada\n'.repeat(2_000)}`;
    const response = await postCsv(csv, { template_id: sms }, { as: key, process: small });
    expect([response.status, messageOf(response)]).toEqual([413, 'Request body is too large']);
    expect(await storedOf(service)).toBe(0);
  });

  it('stores nothing of a body that is cut off', async () => {
    const { service, key, sms } = await world();
    await harness.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = harness.http.server.address() as AddressInfo;
    const client = httpRequest({
      port,
      host: '127.0.0.1',
      path: `${url}?template_id=${sms}&name=n`,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv', 'content-length': '1000000' },
    });
    client.on('error', () => undefined);
    client.write(`phone number,name\n${'07700900001,Ada\n'.repeat(2_000)}`);
    while ((await storedOf(service)) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    client.destroy();
    while ((await storedOf(service)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(harness.logged.filter((line) => line.includes('request.failed'))).toEqual([]);
  });

  it('does not log recipients, values or names of files', async () => {
    harness.logged.length = 0;
    await postCsv('phone number,name\n07700900555,Rumpelstiltskin', { name: 'secret-list' });
    expect(harness.logged.join('')).not.toMatch(/07700900555|Rumpelstiltskin|secret-list/);
  });
});

describe('dry_run', () => {
  it('200 with the problems, and stores nothing', async () => {
    const { service, key, sms } = await world();
    const csv = 'phone number,name\n07700900001,Ada\nnope,Bob';
    const response = await postCsv(csv, { template_id: sms, dry_run: 'true' }, { as: key });
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual({
      valid: false,
      message: 'Some rows have errors. Row 2 - `phone number`: invalid recipient.',
      notification_count: 2,
      rows_with_problems: 1,
      problem_counts: { 'bad-recipient': 1 },
      rows_shown: [
        {
          row: 3,
          recipient: 'nope',
          cells: { 'phone number': 'nope', name: 'Bob' },
          problems: [{ column: 'phone number', problem: expect.any(String) }],
        },
      ],
    });
    const good = await postNdjson(
      [{ phone_number: '07700900001', personalisation: { name: 'Ada' } }],
      { template_id: sms, dry_run: '1' },
      { as: key },
    );
    expect(good.body.data).toMatchObject({ valid: true, message: null, notification_count: 1, rows_with_problems: 0 });
    const json = await harness.v2('POST', `${url}?dry_run=true`, key, { template_id: sms, name: 'n', csv });
    expect(json.body.data.valid).toBe(false);
    expect(await storedOf(service)).toBe(0);
  });

  it('400 for columns, as without it', async () => {
    const response = await postCsv('phone number\n07700900001', { dry_run: 'true' });
    expect([response.status, messageOf(response)]).toEqual([400, 'Missing column headers: name']);
    expect((await postCsv('x', { dry_run: 'maybe' })).status).toBe(400);
  });
});

describe('Idempotency-Key', () => {
  const csv = 'phone number,name\n07700900001,Ada\n07700900002,Bob\n';
  const line = { phone_number: '07700900001', personalisation: { name: 'Ada' } };
  const ways: [string, (idempotencyKey: string, change?: string, process?: Caller) => Promise<Answer>][] = [
    [
      'JSON',
      (name, change = '', process) =>
        post({ template_id: sms, name: 'n', csv: csv + change }, { 'Idempotency-Key': name }, key, process),
    ],
    [
      'CSV',
      (name, change = '', process = harness) =>
        postCsv(csv + change, {}, { headers: { 'idempotency-key': name }, process }),
    ],
    [
      'NDJSON',
      (name, change = '', process = harness) =>
        postNdjson([line, { ...line, reference: change }], {}, { headers: { 'idempotency-key': name }, process }),
    ],
  ];
  const newKey = () => `bulk ${randomUUID()}`;

  it.each(ways)('201 returns the first response again: %s', async (_what, send) => {
    const name = newKey();
    const first = await send(name);
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    await harness.runTasks();
    const stored = await storedOf(service);
    const again = await send(name);
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    expect(await storedOf(service)).toBe(stored);
  });

  it.each(ways)('422 with another body: %s', async (_what, send) => {
    const name = newKey();
    await send(name);
    const other = await send(name, '07700900003,Cy');
    expect(other.status).toBe(422);
    expect(other.body.errors[0].error).toBe('IdempotencyError');
  });

  it('422 with other parameters or another type of body', async () => {
    const headers = { 'idempotency-key': newKey() };
    await postCsv(csv, {}, { headers });
    expect((await postCsv(csv, { reference: 'x' }, { headers })).status).toBe(422);
    expect((await post({ template_id: sms, name: 'list', csv }, headers)).status).toBe(422);
  });

  it('does not store errors', async () => {
    const headers = { 'idempotency-key': newKey() };
    expect((await postCsv('phone number,name\nnope,Ada', {}, { headers })).status).toBe(400);
    expect((await postCsv(csv, {}, { headers })).status).toBe(201);
  });

  it.each(ways)('accepts one of many at once, through two processes: %s', async (_what, send) => {
    const name = newKey();
    const other = await harness.anotherProcess();
    const before = await storedOf(service);
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => send(name, '', index % 2 ? other : harness)),
    );
    const accepted = responses.filter(({ status }) => status === 201);
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(accepted.map(({ body }) => body.data.id)).size).toBe(1);
    expect(accepted.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    expect(await storedOf(service)).toBe(before + 1);
    await harness.runTasks();
  });
});

describe('DELETE /v2/notifications/bulk/{id}', () => {
  const cancel = (id: string, as = key) => harness.v2('DELETE', `${url}/${id}`, as);
  const csv = `phone number,name\n${'07700900001,Ada\n'.repeat(3)}`;

  it('200 cancels a send, whose rows never become notifications, and gives back its share of the limit', async () => {
    const { key, sms } = await world({ sms_message_limit: 3 });
    const { id } = (await postCsv(csv, { template_id: sms }, { as: key })).body.data;
    expect((await postCsv(csv, { template_id: sms }, { as: key })).status).toBe(400);
    const response = await cancel(id, key);
    expect(response.status).toBe(200);
    expect(response.body.data).toMatchObject({ id, job_status: 'cancelled', rows_done: 0 });
    expect(await messagesOf(id)).toEqual([]);
    expect((await postCsv(csv, { template_id: sms }, { as: key })).status).toBe(201);
  });

  it('200 cancels a scheduled send', async () => {
    const { id } = (await postCsv(csv, { scheduled_for: '2026-11-17T12:00:00Z' })).body.data;
    expect((await cancel(id)).body.data.job_status).toBe('cancelled');
    harness.clock.set('2026-11-17T12:00:01Z');
    expect(await messagesOf(id)).toEqual([]);
  });

  it('409 when it is cancelled or finished, 404 when it is unknown or of others', async () => {
    const { id } = (await postCsv(csv)).body.data;
    await cancel(id);
    const again = await cancel(id);
    expect([again.status, again.body.errors[0].error]).toEqual([409, 'JobAlreadyCancelledError']);
    const finished = (await postCsv(csv)).body.data.id;
    await messagesOf(finished);
    const late = await cancel(finished);
    expect([late.status, late.body.errors[0].error]).toEqual([409, 'JobCancellationNotAllowedError']);
    const other = await world();
    for (const response of [await cancel(randomUUID()), await cancel(id, other.key)]) {
      expect([response.status, response.body.errors[0].error]).toEqual([404, 'JobNotFoundError']);
    }
    expect((await cancel('no-id')).status).toBe(400);
  });
});
