import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { aCheckedUpload, emailRows, letterRows, smsRows } from '../../test/kit/builders/uploads.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { addUpChanges } from '../notifications/rollups/rollups.ts';
import { timestamp } from '../platform/clock.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let user: string;
let template: string;
beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  // What earlier tests left is not theirs to run.
  await harness.runTasks();
  service = await aService(harness, { sms_message_limit: 3_000 });
  user = await aUser(harness, { name: 'Ada' });
  template = await aTemplate(harness, service);
});

const post = (id: unknown, fields: object = {}, of = service) =>
  harness.admin('POST', `/service/${of}/job`, { id, created_by: user, ...fields });
const get = (path: string) => harness.admin('GET', `/service/${service}/job${path}`);
const cancel = (id: string) => harness.admin('POST', `/service/${service}/job/${id}/cancel`);
const cancelLetters = (id: string) => harness.admin('POST', `/service/${service}/job/${id}/cancel-letter-job`);

async function aJob(rows = smsRows(3), fields: object = {}, of = template): Promise<string> {
  const upload = await aCheckedUpload(harness, service, of, rows);
  const { status, body } = await post(upload, fields);
  expect(status, JSON.stringify(body)).toBe(201);
  return upload;
}

async function counted(channel = 'sms'): Promise<number> {
  const { rows } = await harness.app.pool.query(
    'select count from daily_message_counts where service_id = $1 and channel = $2',
    [service, channel],
  );
  return rows[0]?.count ?? 0;
}

async function statusesOf(job_id: string): Promise<string[]> {
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select('status')
    .where('job_id', '=', job_id)
    .orderBy('job_row_number')
    .execute();
  return rows.map(({ status }) => status);
}

describe('POST /service/{id}/job', () => {
  it('201 with the record; the file is sent', async () => {
    const upload = await aCheckedUpload(harness, service, template, smsRows(3));
    const { status, body } = await post(upload);
    expect(status).toBe(201);
    const { name } = await harness.app.db
      .selectFrom('services')
      .select('name')
      .where('id', '=', service)
      .executeTakeFirstOrThrow();
    expect(body).toEqual({
      data: {
        id: upload,
        service,
        service_name: { name },
        template,
        template_version: 1,
        template_name: expect.stringContaining('Template'),
        template_type: 'sms',
        original_file_name: 'people.csv',
        notification_count: 3,
        rows_done: 0,
        rows_skipped: 0,
        job_status: 'pending',
        cancelled_because: null,
        created_by: { id: user, name: 'Ada' },
        created_at: '2026-11-16T12:00:00.000000Z',
        updated_at: null,
        processing_started: null,
        processing_finished: null,
        scheduled_for: null,
        archived: false,
        contact_list_id: null,
        statistics: [],
      },
    });
    await harness.runTasks();
    await harness.deliver();
    const { data } = (await get(`/${upload}`)).body;
    expect(data).toMatchObject({
      job_status: 'finished all notifications created',
      rows_done: 3,
      processing_finished: '2026-11-16T12:00:00.000000Z',
    });
    expect(data.statistics.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
    expect((await get(`/${upload}/notification_count`)).body).toEqual({ count: 3 });
  });

  it('refuses in the order of the protocol', async () => {
    const upload = await aCheckedUpload(harness, service, template, smsRows(1));
    const refusal = async (id: unknown, fields: object = {}, of = service) => {
      const { status, body } = await post(id, fields, of);
      expect(body.result).toBe('error');
      return [status, body.message];
    };
    expect(await refusal(undefined, {}, randomUUID())).toEqual([404, 'No result found']);
    expect(await refusal(undefined, {}, 'x')).toEqual([404, expect.any(String)]);
    const inactive = await aService(harness, { active: false });
    expect(await refusal(undefined, {}, inactive)).toEqual([403, 'Create job is not allowed: service is inactive ']);
    expect(await refusal(undefined)).toEqual([400, { id: ['Missing data for required field.'] }]);
    expect(await refusal('x')).toEqual([400, { id: ['Not a valid UUID.'] }]);
    expect(await refusal(randomUUID())).toEqual([404, 'No result found']);
    const trial = await aService(harness, { restricted: true });
    const letter = await aTemplate(harness, trial, { template_type: 'letter' });
    const letters = await aCheckedUpload(harness, trial, letter, [null]);
    expect(await refusal(letters, {}, trial)).toEqual([
      403,
      'Create letter job is not allowed for service in trial mode ',
    ]);
    expect(await refusal(upload, { created_by: undefined, scheduled_for: '2026-11-16T11:59:59Z' })).toEqual([
      400,
      { created_by: ['Missing data for required field.'], scheduled_for: ['Date cannot be in the past'] },
    ]);
    expect(await refusal(upload, { scheduled_for: '2026-11-23T12:00:01' })).toEqual([
      400,
      { scheduled_for: ['Datetime can only be up to 7 days in the future'] },
    ]);
    expect(
      await refusal(upload, { scheduled_for: 'soon', created_by: 'me', on_error: 'x', contact_list_id: 1 }),
    ).toEqual([
      400,
      {
        created_by: ['Not a valid UUID.'],
        scheduled_for: ['Not a valid datetime.'],
        on_error: ['Must be one of: reject, skip.'],
        contact_list_id: ['Not a valid UUID.'],
      },
    ]);
    expect(await refusal(upload, { created_by: randomUUID() })).toEqual([400, { created_by: ['No result found'] }]);
    const bad = await aCheckedUpload(harness, service, template, [...smsRows(1), null]);
    expect(await refusal(bad)).toEqual([400, "File is not valid, can't create job"]);
    const unchecked = await aCheckedUpload(harness, service, template, smsRows(1), { summary: null });
    expect(await refusal(unchecked, { on_error: 'skip' })).toEqual([400, "File is not valid, can't create job"]);
    await harness.app.db.updateTable('templates').set({ archived: true }).where('id', '=', template).execute();
    harness.app.changeListener.reset();
    expect(await refusal(upload)).toEqual([400, { template: ['Template has been deleted'] }]);
    expect(await counted()).toBe(0);
  });

  it('400 for a file that was sent; of several at once exactly one succeeds', async () => {
    const upload = await aCheckedUpload(harness, service, template, smsRows(5));
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(upload)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect((await post(upload)).body.message).toBe('This upload has already been sent');
    await harness.runTasks();
    expect(await statusesOf(upload)).toHaveLength(5);
  });

  it('201 without the rows that have problems', async () => {
    const upload = await aCheckedUpload(harness, service, template, [...smsRows(2), null]);
    const { body } = await post(upload, { on_error: 'skip' });
    expect(body.data).toMatchObject({ notification_count: 3, rows_skipped: 1 });
    await harness.runTasks();
    expect((await get(`/${upload}`)).body.data).toMatchObject({ rows_done: 2, rows_skipped: 1 });
  });

  it('201 and `sending limits exceeded` beyond the daily limit', async () => {
    const upload = await aCheckedUpload(harness, service, template, smsRows(3_001));
    const { status, body } = await post(upload);
    expect([status, body.data.job_status]).toEqual([201, 'sending limits exceeded']);
    await harness.runTasks();
    expect(await statusesOf(upload)).toEqual([]);
    expect(await counted()).toBe(0);
  });

  it('429 with five files that are being sent', async () => {
    for (let count = 0; count < 5; count += 1) await aJob();
    const upload = await aCheckedUpload(harness, service, template, smsRows(1));
    const { status, body } = await post(upload);
    expect([status, body.message]).toEqual([
      429,
      '5 files of this service are still being sent. Try again when one of them has finished.',
    ]);
    expect((await post(upload, { scheduled_for: '2026-11-17T12:00:00Z' })).status).toBe(201);
  });

  it('completes simulated recipients like any other row, without a provider', async () => {
    const email = await aTemplate(harness, service, { template_type: 'email' });
    const upload = await aCheckedUpload(harness, service, email, [
      ...emailRows(1),
      { recipient: 'simulate-delivered@notifications.service.gov.uk' },
    ]);
    await post(upload);
    await harness.runTasks();
    await harness.deliver();
    expect((await statusesOf(upload))[1]).toBe('delivered');
    const { rows } = await harness.app.pool.query('select recipient from sandbox_messages where recipient like $1', [
      '%r0@example.com%',
    ]);
    expect(rows).toHaveLength(1);
    const simulated = await harness.app.pool.query('select from sandbox_messages where recipient like $1', [
      'simulate%',
    ]);
    expect(simulated.rows).toEqual([]);
  });
});

describe('GET /service/{id}/job', () => {
  it('200 with pages, not started ones first', async () => {
    const jobs: string[] = [];
    for (let number = 0; number < 52; number += 1) {
      harness.clock.set(new Date(Date.parse('2026-11-16T12:00:00Z') + number * 1_000).toISOString());
      jobs.unshift(await aJob(smsRows(1), { scheduled_for: '2026-11-17T12:00:00Z' }));
    }
    const [newest = ''] = jobs;
    await harness.app.db
      .updateTable('jobs')
      .set({ processing_started: '2026-11-16T12:00:00Z' })
      .where('id', '=', newest)
      .execute();
    const first = (await get('?limit_days=0')).body;
    expect(first).toMatchObject({ page_size: 50, total: 52 });
    expect(first.links).toEqual({
      next: `/service/${service}/job?limit_days=0&page=2`,
      last: `/service/${service}/job?limit_days=0&page=2`,
    });
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(jobs.slice(1, 51));
    const second = (await get('?page=2')).body;
    expect(second.links).toEqual({ prev: `/service/${service}/job?page=1` });
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([...jobs.slice(51), newest]);
    expect((await get('?page=3')).status).toBe(404);
  }, 60_000);

  it('200 with filters', async () => {
    const list = randomUUID();
    await harness.app.db
      .insertInto('contact_lists')
      .values({
        id: list,
        service_id: service,
        original_file_name: 'people.csv',
        row_count: 1,
        template_type: 'sms',
        created_by_id: user,
        created_at: timestamp(harness.clock.now()),
      })
      .execute();
    const scheduled = await aJob(smsRows(1), { scheduled_for: '2026-11-17T12:00:00Z', contact_list_id: list });
    const sent = await aJob();
    const unlisted = await aJob();
    await harness.app.db.updateTable('jobs').set({ original_file_name: 'Report' }).where('id', '=', unlisted).execute();
    const ids = async (query: string) => (await get(query)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual(expect.arrayContaining([scheduled, sent]));
    expect(await ids('')).toHaveLength(2);
    expect(await ids('?statuses=pending, unknown')).toEqual([sent]);
    expect(await ids('?statuses=scheduled')).toEqual([scheduled]);
    expect(await ids(`?contact_list_id=${list}`)).toEqual([scheduled]);
    harness.clock.set('2026-11-17T00:00:00Z');
    expect(await ids('?limit_days=0')).toEqual([]);
    expect(await ids('?limit_days=1')).toHaveLength(2);
  });

  it('400 or 404 for a wrong query', async () => {
    expect((await get('?page=x')).body.message).toEqual({ page: ['Not a valid integer.'] });
    expect((await get('?page=0')).body.message).toEqual({ page: ['Not a positive integer'] });
    expect((await get('?limit_days=x')).body.message).toEqual({ limit_days: ['x is not an integer'] });
    for (const days of ['999999', '-999999', '9'.repeat(30)]) {
      expect((await get(`?limit_days=${days}`)).status).toBe(200);
    }
    expect((await harness.admin('GET', `/service/${randomUUID()}/job`)).status).toBe(404);
  });
});

describe('GET /service/{id}/job/{job_id}', () => {
  it('404 for a job of nobody and of another service', async () => {
    expect((await get(`/${randomUUID()}`)).body).toEqual({ result: 'error', message: 'No result found' });
    expect((await get('/x')).status).toBe(404);
    const other = await aJob();
    service = await aService(harness);
    for (const path of ['', '/notification_count']) expect((await get(`/${other}${path}`)).status).toBe(404);
    expect((await cancel(other)).status).toBe(404);
    expect((await cancelLetters(other)).status).toBe(404);
  });

  it('costs the same for one row and for thousands', async () => {
    /** Every block that the statements of the request read. */
    const blocks = async (id: string): Promise<number> => {
      const query = vi.spyOn(pg.Client.prototype, 'query');
      expect((await get(`/${id}`)).status).toBe(200);
      const statements = query.mock.calls as unknown as [unknown, unknown[]?][];
      query.mockRestore();
      let sum = 0;
      for (const [text, values] of statements) {
        if (typeof text !== 'string' || !text.trim().startsWith('select')) continue;
        const { rows } = await harness.app.pool.query(`explain (analyze, buffers, format json) ${text}`, values);
        const { Plan } = rows[0]['QUERY PLAN'][0];
        sum += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      }
      return sum;
    };
    const small = await aJob(smsRows(1));
    const large = await aJob(smsRows(2_500));
    await harness.runTasks();
    await addUpChanges(harness.app.db);
    await harness.app.pool.query('vacuum status_count_changes');
    expect((await get(`/${large}`)).body.data.statistics).toEqual([{ status: 'created', count: 2_500 }]);
    const ofSmall = await blocks(small);
    expect(ofSmall).toBeGreaterThan(5);
    expect(await blocks(large)).toBeLessThanOrEqual(ofSmall + 2);
  });
});

describe('GET /service/{id}/job/...', () => {
  it('200 with scheduled-job-stats and has_jobs', async () => {
    expect((await get('/scheduled-job-stats')).body).toEqual({ count: 0, soonest_scheduled_for: null });
    expect((await get('/has_jobs')).body).toEqual({ data: { has_jobs: false } });
    await aJob(smsRows(1), { scheduled_for: '2026-11-18T12:00:00Z' });
    await aJob(smsRows(1), { scheduled_for: '2026-11-17T13:00:00+01:00' });
    expect((await get('/scheduled-job-stats')).body).toEqual({
      count: 2,
      soonest_scheduled_for: '2026-11-17T12:00:00+00:00',
    });
    expect((await get('/has_jobs')).body).toEqual({ data: { has_jobs: true } });
  });
});

describe('a scheduled job', () => {
  const at = '2026-11-18T09:00:00Z';

  it('starts at its time, and counts towards the limit of that day', async () => {
    const job = await aJob(smsRows(3), { scheduled_for: at });
    expect((await get(`/${job}`)).body.data).toMatchObject({
      job_status: 'scheduled',
      scheduled_for: '2026-11-18T09:00:00.000000Z',
    });
    expect(await counted()).toBe(0);
    harness.clock.set('2026-11-18T08:59:59Z');
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual([]);
    harness.clock.set(at);
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual(['created', 'created', 'created']);
    expect(await counted()).toBe(3);
  });

  async function startAfter(change: () => Promise<unknown>, rows = smsRows(3), of = template) {
    const job = await aJob(rows, { scheduled_for: at }, of);
    await change();
    harness.app.changeListener.reset();
    harness.clock.set(at);
    await harness.runTasks();
    const { job_status, cancelled_because } = (await get(`/${job}`)).body.data;
    return { job, job_status, cancelled_because };
  }
  const update = (fields: object) =>
    harness.app.db.updateTable('services').set(fields).where('id', '=', service).execute();

  it('is cancelled if it would be refused now', async () => {
    expect(await startAfter(() => update({ permissions: ['email'] }))).toMatchObject({
      job_status: 'cancelled',
      cancelled_because: 'Service is not allowed to send sms',
    });
    await update({ permissions: ['sms', 'letter'] });
    harness.clock.set('2026-11-16T12:00:00Z');
    const letter = await aTemplate(harness, service, { template_type: 'letter' });
    expect(await startAfter(() => update({ restricted: true }), letterRows(1), letter)).toMatchObject({
      job_status: 'cancelled',
      cancelled_because: 'Cannot send letters when service is in trial mode',
    });
    await update({ restricted: false });
    harness.clock.set('2026-11-16T12:00:00Z');
    const archived = await aTemplate(harness, service);
    const archive = () =>
      harness.app.db.updateTable('templates').set({ archived: true }).where('id', '=', archived).execute();
    expect(await startAfter(archive, smsRows(1), archived)).toMatchObject({
      job_status: 'cancelled',
      cancelled_because: 'Template has been deleted',
    });
    harness.clock.set('2026-11-16T12:00:00Z');
    expect(await startAfter(() => update({ active: false }))).toMatchObject({
      job_status: 'cancelled',
      cancelled_because: 'Service is inactive',
    });
    expect(await counted()).toBe(0);
  });

  it('sends only to members and guests in trial mode', async () => {
    const guest = smsRows(2)[1]?.normalised_recipient ?? '';
    const { job, job_status } = await startAfter(async () => {
      await update({ restricted: true });
      await harness.admin('PUT', `/service/${service}/guest-list`, { phone_numbers: [guest], email_addresses: [] });
    });
    expect(job_status).toBe('finished all notifications created');
    expect(await statusesOf(job)).toEqual(['validation-failed', 'created', 'validation-failed']);
    await harness.deliver();
    expect((await statusesOf(job))[0]).toBe('validation-failed');
  });

  it('exceeds the limits of the day on which it starts', async () => {
    const { job, job_status } = await startAfter(() => update({ sms_message_limit: 2 }));
    expect(job_status).toBe('sending limits exceeded');
    expect(await statusesOf(job)).toEqual([]);
    expect(await counted()).toBe(0);
  });
});

describe('POST /service/{id}/job/{job_id}/cancel', () => {
  it('200 for a scheduled job, which then never starts', async () => {
    const job = await aJob(smsRows(2), { scheduled_for: '2026-11-17T09:00:00Z' });
    const { status, body } = await cancel(job);
    expect([status, body.data.job_status]).toEqual([200, 'cancelled']);
    expect((await cancel(job)).status).toBe(404);
    harness.clock.set('2026-11-17T09:00:00Z');
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual([]);
  });

  it('200 for a pending job; the limit gets its messages back', async () => {
    const job = await aJob(smsRows(2_000));
    expect(await counted()).toBe(2_000);
    expect((await cancel(job)).status).toBe(200);
    expect(await counted()).toBe(0);
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual([]);
  });

  it('404 for a finished job', async () => {
    const job = await aJob();
    await harness.runTasks();
    expect((await cancel(job)).status).toBe(404);
  });

  it('200 while it expands: no further rows; waiting ones are cancelled; all is given back', async () => {
    const job = await aJob(smsRows(3_000));
    const running = harness.runTasks();
    while ((await statusesOf(job)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status } = await cancel(job);
    const { rows_done, job_status } = (await get(`/${job}`)).body.data;
    await running;
    if (status === 404) return expect(job_status).toBe('finished all notifications created');
    const statuses = await statusesOf(job);
    expect(statuses).toHaveLength(rows_done);
    await harness.runTasks();
    expect(new Set(await statusesOf(job))).toEqual(new Set(['cancelled']));
    expect((await get(`/${job}`)).body.data.statistics).toEqual([{ status: 'cancelled', count: rows_done }]);
    expect(await counted()).toBe(0);
    const queue = await harness.app.db
      .selectFrom('delivery_queue')
      .select('notification_id')
      .where('service_id', '=', service)
      .execute();
    expect(queue).toEqual([]);
  });

  it('leaves messages that a worker holds, and cancels them when they wait for a retry', async () => {
    const job = await aJob(smsRows(3));
    await harness.runTasks();
    await harness.app.db.updateTable('jobs').set({ status: 'in progress' }).where('id', '=', job).execute();
    const queue = harness.app.db.updateTable('delivery_queue').where('service_id', '=', service);
    const [first] = await harness.app.db
      .selectFrom('notifications')
      .select('id')
      .where('job_id', '=', job)
      .orderBy('id')
      .execute();
    await queue
      .set({ leased_by: randomUUID() })
      .where('notification_id', '=', first?.id ?? '')
      .execute();
    expect((await cancel(job)).status).toBe(200);
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual(['created', 'cancelled', 'cancelled']);
    await queue.set({ leased_by: null }).execute();
    harness.clock.set('2026-11-16T12:00:03Z');
    await harness.runTasks();
    expect(await statusesOf(job)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });
});

describe('POST /service/{id}/job/{job_id}/cancel-letter-job', () => {
  let letters: string;
  beforeEach(async () => {
    letters = await aTemplate(harness, service, { template_type: 'letter' });
  });

  it('200 with their number; all are cancelled and cost nothing', async () => {
    const job = await aJob(letterRows(3), {}, letters);
    await harness.runTasks();
    expect(await counted('letter')).toBe(3);
    const { status, body } = await cancelLetters(job);
    expect([status, body]).toEqual([200, 3]);
    const rows = await harness.app.db
      .selectFrom('notifications')
      .select(['status', 'billable_units'])
      .where('job_id', '=', job)
      .execute();
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ status: 'cancelled', billable_units: 0 })));
    expect((await get(`/${job}`)).body.data.job_status).toBe('cancelled');
    expect(await counted('letter')).toBe(0);
  });

  it('400 without `result` for messages, too early and too late', async () => {
    expect((await cancelLetters(await aJob())).body).toEqual({
      message: 'Only letter jobs can be cancelled through this endpoint. This is not a letter job.',
    });
    const job = await aJob(letterRows(2), {}, letters);
    const early = await cancelLetters(job);
    expect([early.status, early.body]).toEqual([
      400,
      { message: 'We are still processing these letters, please try again in 5 minutes.' },
    ]);
    await harness.runTasks();
    const tooLate = { message: 'It’s too late to cancel sending, these letters have already been sent.' };
    harness.clock.set('2026-11-16T17:30:00Z');
    expect((await cancelLetters(job)).body).toEqual(tooLate);
    harness.clock.set('2026-11-16T17:29:59Z');
    const [first] = await harness.app.db.selectFrom('notifications').select('id').where('job_id', '=', job).execute();
    const printed = { status: 'sending' as const };
    await harness.app.db
      .updateTable('notifications')
      .set(printed)
      .where('id', '=', first?.id ?? '')
      .execute();
    expect((await cancelLetters(job)).body).toEqual(tooLate);
    expect((await statusesOf(job)).sort()).toEqual(['created', 'sending']);
    expect(await counted('letter')).toBe(2);
  });
});
