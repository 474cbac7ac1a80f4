import { beforeEach, describe, expect, it } from 'vitest';
import { aJob, rowsOfJob } from '../../../test/kit/builders/jobs.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { addUpChanges } from '../../notifications/rollups/rollups.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
let service: string;
let job: string;
let ids: string[];

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  const template = await aTemplate(harness, service, { name: 'Reminder' });
  job = await aJob(harness, service, template, { original_file_name: 'pupils.csv' });
  const row = (status: 'created' | 'delivered' | 'permanent-failure') => ({ cells: ['07700900123', 'Ada'], status });
  ids = await rowsOfJob(
    harness,
    job,
    ['phone number', 'name'],
    (['delivered', 'created', 'permanent-failure'] as const).map(row),
  );
});

const path = (of = service, which = job) => `/service/${of}/job/${which}/notifications`;
const list = (query = '') => harness.admin('GET', `${path()}${query}`);
const idsOf = async (query: string) => (await list(query)).body.notifications.map(({ id }: { id: string }) => id);

describe('GET /service/{id}/job/{id}/notifications', () => {
  it('200 in the order of the file, with totals', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ page_size: 50, total: 3, links: {} });
    expect(body.notifications.map(({ id, job_row_number }: typeof body) => [id, job_row_number])).toEqual(
      ids.map((id, index) => [id, index]),
    );
    expect(body.notifications[0]).toMatchObject({
      job: { id: job, original_file_name: 'pupils.csv' },
      to: '07700900123',
      body: 'Hello Ada',
    });
    expect(body.notifications[0]).not.toHaveProperty('secret_personalisation');
  });

  it('200 as rows of a spreadsheet', async () => {
    const { body } = await list('?format_for_csv=True&page_size=1');
    expect(body.notifications).toEqual([
      {
        id: ids[0],
        row_number: 1,
        recipient: '07700900123',
        client_reference: '',
        template_name: 'Reminder',
        template_type: 'sms',
        job_name: 'pupils.csv',
        status: 'Delivered',
        created_at: '2026-11-16 12:00:00',
        created_by_name: null,
        created_by_email_address: null,
        api_key_name: null,
      },
    ]);
  });

  it('200 by page, with links that keep the query', async () => {
    const query = 'page_size=1&status=delivered&status=failed';
    const links = async (page: number) => (await list(`?page=${page}&${query}`)).body.links;
    const link = (page: number) => `${path()}?${query}&page=${page}`;
    expect(await links(1)).toEqual({ next: link(2), last: link(2) });
    expect(await links(2)).toEqual({ prev: link(1) });
    const { next } = await links(1);
    expect((await harness.admin('GET', next)).body.notifications).toMatchObject([{ id: ids[2] }]);
    expect((await list('?page_size=99999')).body.page_size).toBe(5_000);
  });

  it.each([
    ['status=failed', [2], 1],
    ['status=accepted', [1], 1],
    ['status=received', [0], 1],
    ['status=delivered&status=created', [0, 1], 2],
    ['status=cancelled', [], 0],
    ['template_type=sms', [0, 1, 2], 3],
    ['template_type=email', [], 0],
  ])('200 with %s', async (query, rows, total) => {
    expect(await idsOf(`?${query}`)).toEqual(rows.map((row) => ids[row]));
    expect((await list(`?${query}`)).body.total).toBe(total);
    await addUpChanges(harness.app.db);
    expect((await list(`?${query}`)).body.total).toBe(total);
  });

  it('200 with what is left when messages were deleted', async () => {
    await harness.app.db
      .deleteFrom('notifications')
      .where('id', '=', ids[0] ?? '')
      .execute();
    harness.clock.set('2026-11-24T12:00:00Z');
    expect(await idsOf('')).toEqual(ids.slice(1));
    expect((await list()).body.total).toBe(2);
  });

  it('200 with nothing for an unknown job and for one of another service', async () => {
    const other = await aService(harness);
    for (const url of [path(service, unknown), path(other)]) {
      const { status, body } = await harness.admin('GET', url);
      expect([status, body]).toEqual([200, { notifications: [], page_size: 50, total: 0, links: {} }]);
    }
  });

  it.each(['?page=2', '?page=999999999999', '?status=cancelled&page=2'])('404 beyond the end: %s', async (query) => {
    const { status, body } = await list(query);
    expect([status, body]).toEqual([404, { result: 'error', message: 'No result found' }]);
  });

  it('404 for an unknown service and for ids that are none', async () => {
    expect((await harness.admin('GET', path(unknown))).status).toBe(404);
    expect((await harness.admin('GET', path(service, 'x'))).status).toBe(404);
  });

  it.each([
    ['page', 'x', 'Not a valid integer.'],
    ['page', '0', 'Not a positive integer'],
    ['page_size', '1.5', 'Not a valid integer.'],
    ['page_size', '-1', 'Not a positive integer'],
    ['format_for_csv', 'maybe', 'Not a valid boolean.'],
  ])('400 for %s=%s', async (name, value, text) => {
    const { status, body } = await list(`?${name}=${value}`);
    expect([status, body]).toEqual([400, { result: 'error', message: { [name]: [text] } }]);
  });

  it('400 for an unknown status', async () => {
    expect((await list('?status=lost')).status).toBe(400);
  });
});
