import { beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aNotification, anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
let service: string;
let user: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  user = await aUser(harness, { name: 'Grace', email_address: `grace-${service}@example.org` });
});

const body = (fields: object = {}) => ({
  user_id: user,
  report_type: 'notifications_report',
  notification_type: 'sms',
  notification_status: 'all',
  ...fields,
});
const path = (rest = '', of = service) => `/service/${of}/report-request${rest}`;
const post = (fields: object = {}, of = service) =>
  harness.admin('POST', path('?report_type=notifications_report', of), body(fields));
const get = (rest: string, of = service) => harness.admin('GET', path(`/${rest}`, of));

/** The lines of a report, without its header. */
async function linesOf(fields: object = {}): Promise<string[]> {
  const { id } = (await post(fields)).body.data;
  await harness.runTasks();
  const { status, text } = await get(`${id}/report.csv`);
  expect(status).toBe(200);
  return text.split('\r\n').slice(1, -1);
}

describe('POST /service/{id}/report-request', () => {
  it('201, and stored soon after', async () => {
    const { status, body: answer } = await post({ notification_status: 'failed' });
    expect(status).toBe(201);
    const expected = {
      id: answer.data.id,
      user_id: user,
      service_id: service,
      report_type: 'notifications',
      status: 'pending',
      parameter: { notification_type: 'sms', notification_status: 'failed' },
      created_at: '2026-11-16T12:00:00.000000Z',
      updated_at: null,
    };
    expect(answer.data).toEqual(expected);
    expect((await get(answer.data.id)).body).toEqual({ data: expected });
    harness.clock.advance({ seconds: 2 });
    await harness.runTasks();
    expect((await get(answer.data.id)).body.data).toEqual({
      ...expected,
      status: 'stored',
      updated_at: '2026-11-16T12:00:02.000000Z',
    });
  });

  it('200 with the first one while it is not ready, also when both come at once', async () => {
    const both = await Promise.all([post(), post()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    const { id } = both[0]?.body.data ?? {};
    expect(both[1]?.body.data.id).toBe(id);
    expect((await post({ notification_status: 'sending' })).status).toBe(201);
    expect((await post({ notification_type: 'email' })).status).toBe(201);
    expect((await post({ user_id: await aUser(harness) })).status).toBe(201);
    expect((await post({}, await aService(harness))).status).toBe(201);
    harness.clock.advance({ minutes: 30 });
    expect((await post()).body.data.id).toBe(id);
    harness.clock.advance({ seconds: 1 });
    const later = await post();
    expect([later.status, later.body.data.id === id]).toEqual([201, false]);
    await harness.runTasks();
    expect((await post()).status).toBe(201);
  });

  it.each([
    ['user_id', undefined, 'Missing data for required field.'],
    ['user_id', 'x', 'Not a valid UUID.'],
    ['user_id', unknown, 'No result found'],
    ['report_type', 'other', 'Must be one of: notifications_report.'],
    ['notification_type', 'fax', 'Must be one of: sms, email, letter.'],
    ['notification_status', 'lost', 'Must be one of: all, sending, delivered, failed.'],
  ])('400 when %s is %s', async (name, value, text) => {
    const { status, body: answer } = await post({ [name]: value });
    expect([status, answer]).toEqual([400, { result: 'error', message: { [name]: [text] } }]);
  });

  it('400 for another report type in the query, 404 for an unknown service', async () => {
    expect((await harness.admin('POST', path('?report_type=x'), body())).status).toBe(400);
    expect((await post({}, unknown)).body).toEqual({ result: 'error', message: 'No result found' });
  });
});

describe('GET /service/{id}/report-request/{id}', () => {
  it('404 for an unknown one, for one of another service, and a day later', async () => {
    const { id } = (await post()).body.data;
    const other = await aService(harness);
    await harness.runTasks();
    for (const rest of ['', '/report.csv']) {
      expect((await get(`${unknown}${rest}`)).status).toBe(404);
      expect((await get(`${id}${rest}`, other)).status).toBe(404);
      expect((await get(`x${rest}`)).status).toBe(404);
      expect((await get(`${id}${rest}`)).status).toBe(200);
    }
    harness.clock.advance({ days: 1 });
    await harness.addTask('delete-old-records');
    await harness.runTasks();
    expect((await get(id)).status).toBe(200);
    harness.clock.advance({ seconds: 1 });
    await harness.addTask('delete-old-records');
    await harness.runTasks();
    expect((await get(id)).status).toBe(404);
    expect((await get(`${id}/report.csv`)).status).toBe(404);
  });
});

describe('GET /service/{id}/report-request/{id}/report.csv', () => {
  it('200 with every column, newest first', async () => {
    const template = await aTemplate(harness, service, { name: 'Reminder' });
    const key = await anApiKey(harness, service, { name: 'main key' });
    const sms = { phone_number: '07700900123', template_id: template, personalisation: { name: 'x' }, reference: '=1' };
    await harness.v2('POST', '/v2/notifications/sms', key, sms);
    harness.clock.advance({ seconds: 1 });
    const job_id = await aJob(harness, service, template, { original_file_name: 'a, b.csv' });
    const row = { status: 'delivered' as const, created_by_id: user, job_id, job_row_number: 0 };
    await aNotification(harness, service, template, row);
    await aNotification(harness, service, template, { key_type: 'test' });
    const other = await aService(harness);
    await aNotification(harness, other, await aTemplate(harness, other));
    expect(await linesOf()).toEqual([
      `07700900123,,Reminder,sms,Grace,grace-${service}@example.org,"a, b.csv",Delivered,2026-11-16 12:00:01,`,
      "07700900123,'=1,Reminder,sms,,,,Sending,2026-11-16 12:00:00,main key",
    ]);
    const { id } = (await post({ notification_status: 'failed' })).body.data;
    expect((await get(`${id}/report.csv`)).body).toEqual({ result: 'error', message: 'The report is not ready' });
    await harness.runTasks();
    const { headers, text } = await get(`${id}/report.csv`);
    expect(headers['content-disposition']).toBe('attachment; filename="sms failed - 2026-11-16.csv"');
    expect(text).toBe('Recipient,Reference,Template,Type,Sent by,Sent by email,Job,Status,Time,API key name\r\n');
  });

  it('200 by channel and status, with the first line of an address', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter', name: 'Letter' });
    for (const status of ['created', 'sending', 'returned-letter', 'cancelled', 'validation-failed'] as const) {
      await aNotification(harness, service, template, { notification_type: 'letter', status });
    }
    const statuses = async (notification_status: string) =>
      (await linesOf({ notification_type: 'letter', notification_status })).map((line) => line.split(',')[7]);
    expect(await statuses('all')).toEqual(['Validation failed', 'Cancelled', 'Returned', 'Accepted', 'Accepted']);
    expect(await statuses('sending')).toEqual(['Accepted', 'Accepted']);
    expect(await statuses('delivered')).toEqual(['Returned']);
    expect(await statuses('failed')).toEqual(['Validation failed']);
    expect((await linesOf({ notification_type: 'letter', notification_status: 'failed' }))[0]).toMatch(/^Ada,,Letter/);
    expect(await linesOf()).toEqual([]);
  });

  it('200 up to the moment of the request, and without messages beyond their retention', async () => {
    const template = await aTemplate(harness, service);
    harness.clock.set('2026-11-08T12:00:00Z');
    await aNotification(harness, service, template);
    harness.clock.set('2026-11-16T12:00:00Z');
    await aNotification(harness, service, template, { client_reference: 'in time' });
    const { id } = (await post()).body.data;
    harness.clock.advance({ seconds: 1 });
    await aNotification(harness, service, template, { client_reference: 'too late' });
    await harness.runTasks();
    const { text } = await get(`${id}/report.csv`);
    expect(text).toContain('in time');
    expect(text.split('\r\n')).toHaveLength(3);
  });

  it('200 with more messages than are read at once, each once', async () => {
    const template = await aTemplate(harness, service, { name: 'Many' });
    const job_id = await aJob(harness, service, template);
    const first = await aNotification(harness, service, template, { client_reference: '0' });
    await aNotification(harness, service, template, { client_reference: '1' }, { job_id, job_row_number: 0 });
    await harness.app.pool.query(
      `insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, status,
         recipient, client_reference, created_at, job_id, job_row_number)
       select overlay(n.id::text placing lpad(to_hex(i), 12, '0') from 25)::uuid, n.service_id, n.template_id, 1, 'sms', 'normal', 'delivered', '07700900124', i::text,
         n.created_at, case when i % 2 = 0 then $2::uuid end, i
       from notifications n cross join generate_series(2, 6000) i where n.id = $1`,
      [first, job_id],
    );
    const references = (await linesOf()).map((line) => Number(line.split(',')[1]));
    expect(new Set(references).size).toBe(6_001);
    expect(references).toHaveLength(6_001);
  });
});
