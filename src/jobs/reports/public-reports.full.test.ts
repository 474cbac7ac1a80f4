import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectedOf, filled, gcCases } from '../../../test/kit/builders/gc-vectors.ts';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aNotification, anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let plainKey: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  key = await anApiKey(harness, service, { name: 'figures', manage_reports: true });
  plainKey = await anApiKey(harness, service);
});

const ask = (fields: object = {}, withKey = key) =>
  harness.v2('POST', '/v2/reports', withKey, { report_type: 'email', language: 'en', ...fields });
const get = (rest = '', withKey = key) => harness.v2('GET', `/v2/reports${rest}`, withKey);

function refusal(status: number, error: string, message: string) {
  return { status, body: { status_code: status, errors: [{ error, message }] } };
}

async function contentOf(fields: object): Promise<string> {
  const { report_id } = (await ask(fields)).body;
  await harness.runTasks();
  const { status, text } = await get(`/${report_id}/content`);
  expect(status).toBe(200);
  return text;
}

describe('POST /v2/reports', () => {
  it('202, then ready, with an audit entry of the key', async () => {
    const { status, body, headers } = await ask();
    const { report_id: id } = body;
    expect([status, body, headers.location]).toEqual([
      202,
      { report_id: expect.any(String), status: 'requested' },
      `/v2/reports/${id}`,
    ]);
    const requested = {
      ...{ id, report_type: 'email', service_id: service, status: 'requested' },
      requested_at: '2026-11-16T12:00:00.000000Z',
      ...{ completed_at: null, expires_at: null, api_key_id: expect.any(String) },
    };
    expect((await get(`/${id}`)).body).toEqual(requested);
    expect(await get(`/${id}/content`)).toMatchObject(
      refusal(409, 'BadRequestError', 'Report is not ready for download (status: requested)'),
    );
    harness.clock.advance({ seconds: 2 });
    await harness.runTasks();
    expect((await get(`/${id}`)).body).toEqual({
      ...requested,
      status: 'ready',
      completed_at: '2026-11-16T12:00:02.000000Z',
      expires_at: '2026-11-17T12:00:00.000000Z',
    });
    const { body: log } = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${id}&action=create`);
    expect(log.data).toMatchObject([{ actor_type: 'api_key', noun: 'report_request' }]);
  });

  it('429 after 10 in an hour, also when they come at once, until the first is an hour old', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(202), 429, 429]);
    harness.clock.advance({ minutes: 20 });
    const refused = await ask();
    expect(refused).toMatchObject(refusal(429, 'RateLimitExceeded', 'Maximum 10 report requests per hour'));
    expect(refused.headers).toMatchObject({
      'retry-after': '2400',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.parse('2026-11-16T13:00:00Z') / 1000),
    });
    const other = await aService(harness);
    expect((await ask({}, await anApiKey(harness, other, { manage_reports: true }))).status).toBe(202);
    harness.clock.advance({ minutes: 40 });
    expect((await ask()).status).toBe(202);
  });

  it('400 for wrong fields and for a job of another service', async () => {
    const other = await aService(harness);
    const job_id = await aJob(harness, other, await aTemplate(harness, other));
    for (const unknown of [job_id, randomUUID()]) {
      expect(await ask({ report_type: 'job', job_id: unknown })).toMatchObject(
        refusal(400, 'BadRequestError', 'job_id not found'),
      );
    }
    expect(await ask({ report_type: 'letter' })).toMatchObject(
      refusal(400, 'ValidationError', 'report_type letter is not one of [sms, email, job]'),
    );
    expect((await ask({ job_id: null })).status).toBe(202);
  });

  it('leaves the requests of people alone, and they leave these alone', async () => {
    const user_id = await aUser(harness);
    const request = { user_id, report_type: 'notifications_report', notification_type: 'email' };
    const path = `/service/${service}/report-request`;
    const byPerson = await harness.admin('POST', path, { ...request, notification_status: 'all' });
    const byKey = (await ask()).body.report_id;
    expect((await get(`/${byPerson.body.data.id}`)).status).toBe(404);
    expect((await harness.admin('GET', `${path}/${byKey}`)).status).toBe(404);
    expect((await get()).body.reports.map(({ id }: { id: string }) => id)).toEqual([byKey]);
  });
});

describe('GET /v2/reports', () => {
  it('200, newest first, with links; nothing of other services', async () => {
    const first = (await ask()).body.report_id;
    harness.clock.advance({ seconds: 1 });
    const second = (await ask({ report_type: 'sms' })).body.report_id;
    const { body } = await get();
    expect(body.reports.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(body.links.current).toMatch(/^http.*\/v2\/reports$/);
    expect(body.links.next).toBe(`${body.links.current}?older_than=${first}`);
    const older = await get(`?older_than=${second}`);
    expect(older.body.reports.map(({ id }: { id: string }) => id)).toEqual([first]);
    expect(older.body.links.current).toContain(`older_than=${second}`);
    expect((await get(`?older_than=${first}`)).body).toEqual({
      reports: [],
      links: { current: expect.stringContaining(first) },
    });
    const other = await anApiKey(harness, await aService(harness), { manage_reports: true });
    expect((await get('', other)).body.reports).toEqual([]);
    expect(await get(`/${first}`, other)).toMatchObject(refusal(404, 'NoResultFound', 'No result found'));
    expect(await get(`/${first}/content`, other)).toMatchObject({ status: 404 });
    expect(await get('/x')).toMatchObject(refusal(400, 'ValidationError', 'report_id is not a valid UUID'));
  });
});

describe('GET /v2/reports/{id}/content', () => {
  it('200 with the messages of seven days, newest first, in either language', async () => {
    const grace = await aUser(harness, { name: 'Grace', email_address: `grace-${service}@example.org` });
    const template = await aTemplate(harness, service, { name: 'Reminder' });
    harness.clock.set('2026-11-09T11:00:00Z');
    await aNotification(harness, service, template, { recipient: 'too old' });
    harness.clock.set('2026-11-16T11:00:00Z');
    await aNotification(harness, service, template);
    harness.clock.advance({ seconds: 1 });
    const sent = { status: 'delivered' as const, created_by_id: grace };
    await aNotification(harness, service, template, sent, { sent_at: '2026-11-16T11:30:00.000000Z' });
    await aNotification(harness, service, template, { key_type: 'test' });
    harness.clock.set('2026-11-16T12:00:00Z');
    const english = await contentOf({ report_type: 'sms' });
    expect(english.split('\r\n')).toEqual([
      'Recipient,Template,Type,Sent by,Sent by email,Job,Status,Sent Time',
      `07700900123,Reminder,sms,Grace,grace-${service}@example.org,,Delivered,2026-11-16 11:30:00`,
      '07700900123,Reminder,sms,,,,Sending,',
      '',
    ]);
    const french = await contentOf({ report_type: 'sms', language: 'fr' });
    expect(french.split('\r\n')[0]).toBe(
      'Destinataire,Gabarit,Type,Envoyé par,Envoyé par courriel,Tâche,État,Heure d’envoi',
    );
    expect(french.split('\r\n').slice(1)).toEqual(english.split('\r\n').slice(1));
    expect((await contentOf({ report_type: 'email' })).split('\r\n')).toHaveLength(2);
  });

  it('200 with the rows of a job in their order', async () => {
    const template = await aTemplate(harness, service, { name: 'Reminder' });
    const job_id = await aJob(harness, service, template, { original_file_name: 'people.csv' });
    for (const job_row_number of [1, 0]) await aNotification(harness, service, template, { job_id, job_row_number });
    await aNotification(harness, service, template);
    expect((await contentOf({ report_type: 'job', job_id })).split('\r\n')).toEqual([
      'Row number,Recipient,Template,Type,Job,Status,Sent Time',
      '1,07700900123,Reminder,sms,people.csv,Sending,',
      '2,07700900123,Reminder,sms,people.csv,Sending,',
      '',
    ]);
    expect(await contentOf({ report_type: 'job', job_id, language: 'fr' })).toMatch(/^Numéro de ligne,Destinataire/);
    expect((await get()).body.reports[0].report_type).toBe('job');
  });
});

it('403 for a key without the permission on every route', async () => {
  const forbidden = refusal(403, 'ForbiddenError', 'This API key does not have permission to manage reports.');
  const { report_id } = (await ask()).body;
  expect(await ask({ wrong: 1 }, plainKey)).toMatchObject(forbidden);
  for (const path of ['', '/x', `/${report_id}`, `/${report_id}/content`]) {
    expect(await get(path, plainKey)).toMatchObject(forbidden);
  }
});

describe('further examples', () => {
  const cases = gcCases('reports');
  it.each(cases)('$id $what', async (example) => {
    const { report_id: ready_report } = (await ask()).body;
    await harness.runTasks();
    const { report_id } = (await ask()).body;
    const words = { report: report_id, ready_report, random_uuid: randomUUID() };
    const { method, path, body } = filled(example.request, words);
    const withKey = example.setup === 'key may manage reports' ? key : plainKey;
    const expected = expectedOf(example);
    const authorization = `ApiKey-v1 gcntfy-${withKey}`;
    const response = await harness.v2(method, path, withKey, body, { authorization });
    expect(response.status).toBe(expected.status);
    if (expected.errors) expect(response.body.errors).toEqual(expected.errors);
    if (expected.body) expect(response.body).toMatchObject(expected.body);
    if (expected.keys) expect(Object.keys(response.body).sort()).toEqual(expected.keys);
    if (expected.status_one_of) expect(expected.status_one_of).toContain(response.body.status);
    const own = { report: ready_report, report_id: response.body.report_id };
    for (const [name, value] of Object.entries(filled(expected.headers ?? {}, own)))
      expect(String(response.headers[name])).toMatch(new RegExp(`^${value.replaceAll('.', '\\.')}`));
  });
});
