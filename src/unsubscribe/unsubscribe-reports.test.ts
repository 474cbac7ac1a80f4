import { beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../test/kit/builders/jobs.ts';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';
import { deleteOldUnsubscribeRequests } from './unsubscribe-reports.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = newId(new Date());

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

/** A service with emails that can be unsubscribed from, any number of times. */
async function aNewsletter() {
  const service = await aService(harness);
  const key = await anApiKey(harness, service);
  const template_id = await aTemplate(harness, service, {
    name: 'News',
    template_type: 'email',
    subject: 's',
    content: 'c',
    has_unsubscribe_link: true,
  });
  async function writeTo(email_address: string): Promise<() => Promise<unknown>> {
    const { body } = await harness.v2('POST', '/v2/notifications/email', key, { email_address, template_id });
    const read = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
    const url = new URL(read.body.one_click_unsubscribe_url).pathname;
    return () => harness.request({ method: 'POST', url });
  }
  return {
    service,
    template_id,
    writeTo,
    get: (path: string) => harness.admin('GET', `/service/${service}/${path}`),
    post: (path: string, body: unknown = {}) => harness.admin('POST', `/service/${service}/${path}`, body),
  };
}

describe('GET /service/{id}/unsubscribe-request-statistics', () => {
  it('200 with an empty object when there are no requests', async () => {
    const { get } = await aNewsletter();
    const { status, body } = await get('unsubscribe-request-statistics');
    expect([status, body]).toEqual([200, {}]);
  });

  it('200 with the count of the last seven days and the latest date of all', async () => {
    const { writeTo, get } = await aNewsletter();
    const statistics = async () => (await get('unsubscribe-request-statistics')).body;
    for (const person of ['a@example.org', 'b@example.org']) await (await writeTo(person))();
    const latest = '2026-11-16T12:00:00.000000Z';
    expect(await statistics()).toEqual({
      unsubscribe_requests_count: 2,
      datetime_of_latest_unsubscribe_request: latest,
    });
    harness.clock.advance({ days: 7, seconds: 1 });
    expect(await statistics()).toEqual({
      unsubscribe_requests_count: 0,
      datetime_of_latest_unsubscribe_request: latest,
    });
  });

  it('200 without processed requests, and still with the latest date when all are processed', async () => {
    const { writeTo, get, post } = await aNewsletter();
    const count = async () => (await get('unsubscribe-request-statistics')).body;
    await (await writeTo('a@example.org'))();
    const { report_id } = (await post('create-unsubscribe-request-report')).body;
    expect((await count()).unsubscribe_requests_count).toBe(1);
    harness.clock.advance({ seconds: 5 });
    await post(`process-unsubscribe-request-report/${report_id}`, { report_has_been_processed: true });
    expect(await count()).toEqual({
      unsubscribe_requests_count: 0,
      datetime_of_latest_unsubscribe_request: '2026-11-16T12:00:00.000000Z',
    });
    await (await writeTo('b@example.org'))();
    expect(await count()).toEqual({
      unsubscribe_requests_count: 1,
      datetime_of_latest_unsubscribe_request: '2026-11-16T12:00:05.000000Z',
    });
  });

  it('404 for an unknown service', async () => {
    expect((await harness.admin('GET', `/service/${unknown}/unsubscribe-request-statistics`)).status).toBe(404);
  });
});

describe('unsubscribe reports', () => {
  it('show the file of a message of a job, after the message was deleted', async () => {
    const { service, template_id, writeTo, get, post } = await aNewsletter();
    const job_id = await aJob(harness, service, template_id, { original_file_name: 'readers.csv' });
    const unsubscribe = await writeTo('reader@example.org');
    const messages = harness.app.db.updateTable('notifications').where('service_id', '=', service);
    await messages.set({ job_id, job_row_number: 0 }).execute();
    await unsubscribe();
    await harness.app.db.deleteFrom('notifications').where('service_id', '=', service).execute();
    const { report_id } = (await post('create-unsubscribe-request-report')).body;
    expect((await get(`unsubscribe-request-report/${report_id}`)).body.unsubscribe_requests).toMatchObject([
      { email_address: 'reader@example.org', original_file_name: 'readers.csv' },
    ]);
  });

  it('are created from unreported requests, read and marked as processed', async () => {
    const { service, writeTo, get, post } = await aNewsletter();
    await (await writeTo('First@example.org'))();
    harness.clock.advance({ seconds: 10 });
    const second = await writeTo('second@example.org');
    await second();
    const span = {
      service_id: service,
      count: 2,
      earliest_timestamp: '2026-11-16T12:00:00.000000Z',
      latest_timestamp: '2026-11-16T12:00:10.000000Z',
      processed_by_service_at: null,
    };
    const unreported = {
      ...span,
      batch_id: null,
      created_at: null,
      is_a_batched_report: false,
      will_be_archived_at: '2027-02-14T12:00:10.000000Z',
    };
    const summary = async () => (await get('unsubscribe-request-reports-summary')).body;
    expect(await summary()).toEqual([unreported]);

    const created = await post('create-unsubscribe-request-report', unreported);
    expect(created.status).toBe(201);
    const batch_id = created.body.report_id;
    const report = {
      ...span,
      batch_id,
      created_at: '2026-11-16T12:00:10.000000Z',
      is_a_batched_report: true,
      will_be_archived_at: '2026-11-23T00:00:00.000000Z',
    };
    expect(await summary()).toEqual([report]);
    expect((await get(`unsubscribe-request-report/${batch_id}`)).body).toEqual({
      batch_id,
      earliest_timestamp: span.earliest_timestamp,
      latest_timestamp: span.latest_timestamp,
      unsubscribe_requests: [
        {
          email_address: 'second@example.org',
          template_name: 'News',
          original_file_name: null,
          template_sent_at: '2026-11-16 12:00:10',
          unsubscribe_request_received_at: '2026-11-16 12:00:10',
        },
        {
          email_address: 'first@example.org',
          template_name: 'News',
          original_file_name: null,
          template_sent_at: '2026-11-16 12:00:00',
          unsubscribe_request_received_at: '2026-11-16 12:00:00',
        },
      ],
    });

    await second();
    expect(await summary()).toEqual([report]);
    const processed = { report_has_been_processed: true };
    expect((await post(`process-unsubscribe-request-report/${batch_id}`, processed)).status).toBe(204);
    await second();
    const [again, marked] = await summary();
    expect(again).toMatchObject({ batch_id: null, count: 1 });
    expect(marked).toMatchObject({
      processed_by_service_at: '2026-11-16T12:00:10.000000Z',
      will_be_archived_at: report.will_be_archived_at,
    });
    await post(`process-unsubscribe-request-report/${batch_id}`, { report_has_been_processed: false });
    expect((await summary())[1]).toEqual(report);
    await second();
    expect((await summary())[0].count).toBe(1);
  });

  it.each([
    ['in winter', '2026-11-16T23:59:59Z', '2026-11-23T00:00:00.000000Z'],
    ['in summer, before midnight', '2026-07-01T22:59:59Z', '2026-07-07T23:00:00.000000Z'],
    ['in summer, after midnight', '2026-07-01T23:00:00Z', '2026-07-08T23:00:00.000000Z'],
    ['when the clocks go forward', '2026-03-25T12:00:00Z', '2026-03-31T23:00:00.000000Z'],
    ['when the clocks go forward that night', '2026-03-22T12:00:00Z', '2026-03-29T00:00:00.000000Z'],
    ['when the clocks go back', '2026-10-21T12:00:00Z', '2026-10-28T00:00:00.000000Z'],
    ['when the clocks go back that night', '2026-10-18T12:00:00Z', '2026-10-24T23:00:00.000000Z'],
  ])('are deleted at the last London midnight before they are seven days old: %s', async (_when, created, archived) => {
    harness.clock.set(created);
    const { writeTo, get, post } = await aNewsletter();
    await (await writeTo('a@example.org'))();
    await post('create-unsubscribe-request-report');
    const summary = async () => (await get('unsubscribe-request-reports-summary')).body;
    expect(await summary()).toMatchObject([{ will_be_archived_at: archived }]);
    harness.clock.set(new Date(new Date(archived).getTime() - 1000).toISOString());
    await deleteOldUnsubscribeRequests(harness.app);
    expect(await summary()).toHaveLength(1);
    harness.clock.set(archived);
    await deleteOldUnsubscribeRequests(harness.app);
    expect(await summary()).toEqual([]);
  });

  it('contain London times', async () => {
    harness.clock.set('2026-07-01T23:30:00Z');
    const { writeTo, get, post } = await aNewsletter();
    const unsubscribe = await writeTo('a@example.org');
    harness.clock.advance({ seconds: 5 });
    await unsubscribe();
    const { report_id } = (await post('create-unsubscribe-request-report')).body;
    const { body } = await get(`unsubscribe-request-report/${report_id}`);
    expect(body.unsubscribe_requests).toMatchObject([
      { template_sent_at: '2026-07-02 00:30:00', unsubscribe_request_received_at: '2026-07-02 00:30:05' },
    ]);
    expect(body.latest_timestamp).toBe('2026-07-01T23:30:05.000000Z');
  });

  it('are archived even if processed; unreported requests are deleted after 90 days', async () => {
    const { writeTo, get, post } = await aNewsletter();
    const counts = async () =>
      (await get('unsubscribe-request-reports-summary')).body.map(({ count }: { count: number }) => count);
    await (await writeTo('a@example.org'))();
    const { body } = await post('create-unsubscribe-request-report');
    harness.clock.advance({ days: 3 });
    await post(`process-unsubscribe-request-report/${body.report_id}`, { report_has_been_processed: true });
    await (await writeTo('b@example.org'))();
    expect(await counts()).toEqual([1, 1]);
    harness.clock.advance({ days: 4 });
    await deleteOldUnsubscribeRequests(harness.app);
    expect(await counts()).toEqual([1]);
    harness.clock.advance({ days: 85 });
    await deleteOldUnsubscribeRequests(harness.app);
    expect(await counts()).toEqual([1]);
    harness.clock.advance({ days: 1, seconds: 1 });
    await deleteOldUnsubscribeRequests(harness.app);
    expect(await counts()).toEqual([]);
  });

  it('contain each request once when created concurrently', async () => {
    const { writeTo, get, post } = await aNewsletter();
    await (await writeTo('a@example.org'))();
    const responses = await Promise.all([1, 2, 3].map(() => post('create-unsubscribe-request-report')));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect((await get('unsubscribe-request-reports-summary')).body).toHaveLength(1);
  });
});

describe('POST /service/{id}/create-unsubscribe-request-report', () => {
  it('201 with only the requests in the time range', async () => {
    const { writeTo, get, post } = await aNewsletter();
    await (await writeTo('a@example.org'))();
    harness.clock.advance({ seconds: 1 });
    await (await writeTo('b@example.org'))();
    await post('create-unsubscribe-request-report', { latest_timestamp: '2026-11-16T12:00:00.000000Z' });
    const { body } = await get('unsubscribe-request-reports-summary');
    expect(body.map(({ count }: { count: number }) => count)).toEqual([1, 1]);
  });

  it('400 when there are no requests, or a date is invalid', async () => {
    const { post } = await aNewsletter();
    const response = await post('create-unsubscribe-request-report');
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('There are no unsubscribe requests to report');
    expect((await post('create-unsubscribe-request-report', { latest_timestamp: 'x' })).status).toBe(400);
  });
});

describe('POST /service/{id}/process-unsubscribe-request-report/{batch_id}', () => {
  it('400 without the flag, 404 for a report of another service', async () => {
    const { writeTo, post } = await aNewsletter();
    await (await writeTo('a@example.org'))();
    const { report_id } = (await post('create-unsubscribe-request-report')).body;
    expect((await post(`process-unsubscribe-request-report/${report_id}`)).body.message).toEqual({
      report_has_been_processed: ['Missing data for required field.'],
    });
    const other = await aNewsletter();
    const processed = { report_has_been_processed: true };
    expect((await other.post(`process-unsubscribe-request-report/${report_id}`, processed)).status).toBe(404);
    expect((await other.get(`unsubscribe-request-report/${report_id}`)).status).toBe(404);
  });
});
