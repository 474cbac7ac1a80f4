import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/bulk';
const root = 'http://localhost:80';
const unknown = '8f6f23a4-7b5c-4d7e-9d1c-0b8f7d3c2a10';
let service: string;
let key: string;
let template_id: string;
let other: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
  other = await anApiKey(harness, await aService(harness));
});
beforeEach(() => harness.runTasks());

async function sent(csv: string, fields: object = {}, as = key): Promise<string> {
  const { status, body } = await harness.v2('POST', url, as, { template_id, name: 'list.csv', csv, ...fields });
  expect(status).toBe(201);
  return body.data.id;
}

function get(path = '', as = key, headers: Record<string, string> = {}): Promise<Answer> {
  return harness.v2('GET', `${url}${path}`, as, undefined, headers);
}

const header = 'phone number,name,reference\n';
const two = `${header}07700900001,Ada,r1\n07700900002,Bob,\n`;

describe('GET /v2/notifications/bulk/{id}', () => {
  it('200 shows the progress, and finished when every row is a notification', async () => {
    const id = await sent(`${two}nope,Cy,\n`, { on_error: 'skip' });
    expect((await get(`/${id}`)).body.data).toMatchObject({ job_status: 'pending', rows_done: 0, statistics: [] });
    await harness.runTasks();
    expect((await get(`/${id}`)).body.data).toMatchObject({
      id,
      job_status: 'finished',
      notification_count: 3,
      rows_done: 2,
      rows_skipped: 1,
      processing_started: '2026-11-16T12:00:00.000000Z',
      processing_finished: '2026-11-16T12:00:00.000000Z',
      statistics: [{ status: 'created', count: 2 }],
    });
  });

  it('404 for an unknown send, one of another service, of other keys, or of a user; 400 for no id', async () => {
    const id = await sent(two);
    const test = await anApiKey(harness, service, { key_type: 'test' });
    for (const response of [await get(`/${unknown}`), await get(`/${id}`, other), await get(`/${id}`, test)]) {
      expect(response.status).toBe(404);
      expect(response.body.errors).toEqual([{ error: 'NoResultFound', message: 'No result found' }]);
    }
    await harness.app.db.updateTable('jobs').set({ api_key_id: null }).where('id', '=', id).execute();
    expect((await get(`/${id}`)).status).toBe(404);
    const response = await get('/no-id');
    expect([response.status, response.body.errors[0].message]).toEqual([400, 'job_id is not a valid UUID']);
  });
});

describe('GET /v2/notifications/bulk', () => {
  it('200 lists sends of keys of the same type, newest first, 250 per page', async () => {
    const of = await aService(harness);
    const as = await anApiKey(harness, of);
    expect((await get('', as)).body).toEqual({ bulk_jobs: [], links: { current: `${root}${url}` } });
    const template = await aTemplate(harness, of, { content: 'Hi' });
    const send = (by: string) => sent('phone number\n07700900001', { template_id: template }, by);
    const first = await send(as);
    const test = await anApiKey(harness, of, { key_type: 'test' });
    const ofTest = await send(test);
    const row = await harness.app.db.selectFrom('jobs').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    const copies = Array.from({ length: 251 }, (_, index) => ({
      ...row,
      id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      status: 'cancelled' as const,
    }));
    await harness.app.db.insertInto('jobs').values(copies).execute();
    const { bulk_jobs, links } = (await get('', as)).body;
    expect(bulk_jobs).toHaveLength(250);
    expect(bulk_jobs[0]).toMatchObject({ id: first, statistics: [] });
    expect(links).toEqual({ current: `${root}${url}`, next: `${root}${url}?older_than=${bulk_jobs[249].id}` });
    const second = (await get(links.next.slice(`${root}${url}`.length), as)).body;
    expect(second.bulk_jobs.map(({ id }: { id: string }) => id)).toEqual([copies[1]?.id, copies[0]?.id]);
    const third = (await get(second.links.next.slice(`${root}${url}`.length), as)).body;
    expect([third.bulk_jobs, third.links.next]).toEqual([[], undefined]);
    expect((await get('', test)).body.bulk_jobs.map(({ id }: { id: string }) => id)).toEqual([ofTest]);
  });

  it.each([
    [`?older_than=${unknown}`, `older_than ${unknown} does not exist in database for service id`],
    ['?older_than=1', 'older_than is not a valid UUID'],
    ['?page=2', 'Additional properties are not allowed (page was unexpected)'],
  ])('400 for %s', async (query, message) => {
    const response = await get(query);
    expect(response.status).toBe(400);
    expect(response.body.errors[0].message).toContain(message);
  });

  it('is not the endpoint of one notification', async () => {
    expect((await harness.v2('GET', '/v2/notifications/bulk', key)).body).toHaveProperty('bulk_jobs');
    expect((await harness.v2('POST', '/v2/notifications/bulks', key, {})).status).toBe(404);
  });
});

describe('GET /v2/notifications/bulk/{id}/results', () => {
  it('200 as CSV and as NDJSON, in the order of the rows', async () => {
    const id = await sent(`${header}07700900001,Ada,=1+1\nnope,Cy,\n+447700900002,Bob,\n`, { on_error: 'skip' });
    const none = await get(`/${id}/results`);
    expect(none.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(none.text).toBe('row,id,recipient,reference,status,updated_at\r\n');
    await harness.runTasks();
    const lines = (await get(`/${id}/results`, key, { accept: 'text/csv' })).text.split('\r\n');
    expect(lines.map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'id'))).toEqual([
      'row,id,recipient,reference,status,updated_at',
      "1,id,07700900001,'=1+1,created,",
      "3,id,'+447700900002,,created,",
      '',
    ]);
    const ndjson = await get(`/${id}/results`, key, { accept: 'application/x-ndjson' });
    expect(ndjson.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        row: 1,
        id: expect.any(String),
        recipient: '07700900001',
        reference: '=1+1',
        status: 'created',
        updated_at: null,
      },
      {
        row: 3,
        id: expect.any(String),
        recipient: '+447700900002',
        reference: null,
        status: 'created',
        updated_at: null,
      },
    ]);
  });

  it('200 with more rows than one page', async () => {
    const id = await sent(`${header}${'07700900001,Ada,\n'.repeat(2_100)}`);
    await harness.runTasks();
    const { text } = await get(`/${id}/results`, key, { accept: 'application/x-ndjson' });
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).row),
    ).toEqual(Array.from({ length: 2_100 }, (_, index) => index + 1));
  });

  it('404 for others, 400 for a type that cannot be had', async () => {
    const id = await sent(two);
    expect((await get(`/${id}/results`, other)).status).toBe(404);
    expect((await get(`/${id}/results`, key, { accept: 'image/png' })).status).toBe(400);
  });
});

describe('GET /v2/notifications/bulk/{id}/problems', () => {
  it('200 with the rows that were not sent, which can be corrected and sent again', async () => {
    const id = await sent(`${two}nope,"Cy, \nD",\n+447700900003,,x\n`, { on_error: 'skip' });
    const { text, headers } = await get(`/${id}/problems`);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toMatch(
      /^Row number,phone number,name,reference,Problem\r\n4,nope,"Cy, \nD",,phone number: [^\r]+\r\n5,\+447700900003,,x,name: Missing\r\n$/,
    );
    const again = await harness.v2('POST', `${url}?dry_run=true`, key, { template_id, name: 'again', csv: text });
    expect(again.body.data).toMatchObject({ notification_count: 2, rows_with_problems: 2 });
    const ndjson = await get(`/${id}/problems`, key, { accept: 'application/x-ndjson' });
    const lines = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      {
        row: 4,
        recipient: 'nope',
        cells: { 'phone number': 'nope', name: 'Cy, \nD', reference: null },
        problems: [{ column: 'phone number', problem: expect.any(String) }],
      },
      {
        row: 5,
        recipient: '+447700900003',
        cells: { 'phone number': '+447700900003', name: null, reference: 'x' },
        problems: [{ column: 'name', problem: 'Missing' }],
      },
    ]);
  });

  it('200 without lines when every row was sent, 404 when the rows were deleted', async () => {
    const id = await sent(two);
    expect((await get(`/${id}/problems`)).text).toBe('Row number,phone number,name,reference,Problem\r\n');
    expect((await get(`/${id}/problems`, key, { accept: 'application/x-ndjson' })).text).toBe('');
    await harness.app.db.updateTable('jobs').set({ archived: true }).where('id', '=', id).execute();
    expect((await get(`/${id}/problems`)).status).toBe(404);
  });
});
