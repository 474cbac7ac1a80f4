import { beforeEach, describe, expect, it } from 'vitest';
import { aJob, rowsOfJob } from '../../../test/kit/builders/jobs.ts';
import { aNotification, anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-07-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
let service: string;
let template: string;

beforeEach(async () => {
  harness.clock.set('2026-07-16T12:00:00Z');
  service = await aService(harness);
  template = await aTemplate(harness, service);
});

const list = (query = '', of = service) => harness.admin('GET', `/service/${of}/upload${query}`);
const namesOf = async (query = '') =>
  (await list(query)).body.data.map(({ original_file_name }: { original_file_name: string }) => original_file_name);

async function aPdf(moment: string, fields: object = {}, hidden = true): Promise<string> {
  const now = harness.clock.now();
  harness.clock.set(moment);
  const known = await harness.app.db
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', service)
    .where('hidden', '=', hidden)
    .where('template_type', '=', 'letter')
    .executeTakeFirst();
  const of = known?.id ?? (await aTemplate(harness, service, { template_type: 'letter', hidden }));
  const id = await aNotification(harness, service, of, { notification_type: 'letter', status: 'delivered', ...fields });
  harness.clock.set(now);
  return id;
}

describe('GET /service/{id}/upload', () => {
  it('200 with jobs and days of letters', async () => {
    const job = await aJob(harness, service, template, { original_file_name: 'pupils.csv', row_count: 3 });
    await rowsOfJob(
      harness,
      job,
      ['phone number'],
      [
        { cells: ['07700900123'], status: 'delivered' },
        { cells: ['07700900124'], status: 'created' },
        { cells: ['07700900125'], status: 'delivered' },
      ],
    );
    await aPdf('2026-07-15T16:29:59Z');
    await aPdf('2026-07-15T16:30:00Z');
    await aPdf('2026-07-16T09:00:00Z');
    const waiting = await aJob(harness, service, template, {
      ...{ original_file_name: 'waiting.csv', status: 'pending', processing_started: null, processing_finished: null },
      scheduled_for: '2026-07-16T13:00:00Z',
    });
    const { status, body } = await list();
    const common = { recipient: null, statistics: [] };
    const day = {
      id: null,
      original_file_name: 'Uploaded letters',
      template_type: 'letter',
      upload_type: 'letter_day',
    };
    const file = { template_type: 'sms', upload_type: 'job' };
    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            ...{ ...common, ...file, id: waiting, original_file_name: 'waiting.csv' },
            ...{ notification_count: 2, created_at: '2026-07-16 13:00:00' },
          },
          { ...common, ...day, notification_count: 2, created_at: '2026-07-16 16:30:00' },
          {
            ...{ ...common, ...file, id: job, original_file_name: 'pupils.csv' },
            ...{ notification_count: 3, created_at: '2026-07-16 12:00:00' },
            statistics: [
              { status: 'created', count: 1 },
              { status: 'delivered', count: 2 },
            ],
          },
          { ...common, ...day, notification_count: 1, created_at: '2026-07-15 16:30:00' },
        ],
        page_size: 50,
        total: 4,
        links: {},
      },
    ]);
  });

  it('200 without cancelled and scheduled jobs, jobs of contact lists, and letters that were not uploaded', async () => {
    await aJob(harness, service, template, { status: 'cancelled' });
    await aJob(harness, service, template, { status: 'scheduled' });
    await aJob(harness, service, template, { contact_list_id: unknown });
    for (const original_file_name of ['Test message', 'Report']) {
      await aJob(harness, service, template, { original_file_name });
    }
    await aJob(harness, await aService(harness), template);
    await anApiKey(harness, service);
    const { id } = await harness.app.db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
    await aPdf('2026-07-16T09:00:00Z', { api_key_id: id });
    await aPdf('2026-07-16T09:00:00Z', { status: 'cancelled' });
    await aPdf('2026-07-16T09:00:00Z', {}, false);
    expect((await list()).body).toMatchObject({ data: [], total: 0 });
  });

  it('200 within the retention of each channel, and within limit_days', async () => {
    await harness.admin('POST', `/service/${service}/data-retention`, {
      ...{ notification_type: 'email', days_of_retention: 3 },
    });
    const at = (day: string, notification_type: 'sms' | 'email', started = day) =>
      aJob(harness, service, template, {
        ...{ notification_type, original_file_name: `${notification_type} ${day}` },
        ...{ created_at: `2026-07-${day}:00Z`, processing_started: `2026-07-${started}:00Z` },
      });
    await at('08T22:59', 'sms');
    await at('08T23:00', 'sms');
    await at('08T22:58', 'sms', '10T12:00');
    await at('12T22:59', 'email');
    await at('12T23:00', 'email');
    await aPdf('2026-07-08T22:59:59Z');
    await aPdf('2026-07-08T23:00:00Z');
    expect(await namesOf()).toEqual(['email 12T23:00', 'sms 08T22:58', 'Uploaded letters', 'sms 08T23:00']);
    expect(await namesOf('?limit_days=4')).toEqual(['email 12T23:00']);
    expect(await namesOf('?limit_days=0')).toEqual([]);
    expect(await namesOf('?limit_days=')).toHaveLength(4);
  });

  it('200 by page', async () => {
    for (let number = 0; number < 51; number += 1) await aJob(harness, service, template);
    const first = (await list('?limit_days=3')).body;
    expect([first.data.length, first.total]).toEqual([50, 51]);
    const second = `/service/${service}/upload?limit_days=3&page=2`;
    expect(first.links).toEqual({ next: second, last: second });
    expect((await harness.admin('GET', second)).body).toMatchObject({
      data: [{ upload_type: 'job' }],
      links: { prev: `/service/${service}/upload?limit_days=3&page=1` },
    });
  });

  it.each([
    ['page=x', { page: ['Not a valid integer.'] }],
    ['page=0', { page: ['Not a positive integer'] }],
    ['limit_days=x', { limit_days: ['x is not an integer'] }],
    ['limit_days=1.5', { limit_days: ['1.5 is not an integer'] }],
  ])('400 for %s', async (query, message) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body]).toEqual([400, { result: 'error', message }]);
  });

  it('404 beyond the end and for an unknown service', async () => {
    expect((await list('?page=2')).body).toEqual({ result: 'error', message: 'No result found' });
    expect((await list('', unknown)).status).toBe(404);
  });
});

describe('GET /service/{id}/upload/uploaded-letters/{date}', () => {
  const letters = (day: string, query = '', of = service) =>
    harness.admin('GET', `/service/${of}/upload/uploaded-letters/${day}${query}`);

  it('200 with the letters of the print run, newest first', async () => {
    await aPdf('2026-07-14T16:29:59Z');
    const first = await aPdf('2026-07-14T16:30:00Z');
    const last = await aPdf('2026-07-15T16:29:59Z', { status: 'sending' });
    await aPdf('2026-07-15T16:30:00Z');
    await aPdf('2026-07-15T10:00:00Z', { status: 'cancelled' });
    const { status, body } = await letters('2026-07-15');
    expect(status).toBe(200);
    expect(body).toMatchObject({ notifications: [{ id: last }, { id: first }], page_size: 50, total: 2, links: {} });
    expect(body.notifications[0]).toMatchObject({ notification_type: 'letter', job: null });
    expect((await letters('2026-07-12')).body).toMatchObject({ notifications: [], total: 0 });
  });

  it.each(['yesterday', '2026-02-30', '20260715'])('400 when the date is %s', async (day) => {
    const { status, body } = await letters(day);
    expect([status, body.message]).toEqual([400, { letter_print_date: ['Not a valid date.'] }]);
  });

  it('400 for a page that is none; 404 beyond the end and for an unknown service', async () => {
    expect((await letters('2026-07-15', '?page=x')).body.message).toEqual({ page: ['Not a valid integer.'] });
    expect((await letters('2026-07-15', '?page=2')).status).toBe(404);
    expect((await letters('2026-07-15', '', unknown)).status).toBe(404);
  });
});
