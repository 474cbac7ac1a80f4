import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-07-15T23:30:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
const noResult = { result: 'error', message: 'No result found' };
let service: string;
let text: string;
let precompiled: string;

beforeAll(() => {
  // Already the 16th in London.
  harness.clock.set('2026-07-15T23:30:00Z');
});

beforeEach(async () => {
  service = await aService(harness);
  text = await aTemplate(harness, service, { name: 'Text' });
  precompiled = await aTemplate(harness, service, { name: 'Pre-compiled PDF', template_type: 'letter', hidden: true });
});

async function count(
  template_id: string,
  london_day: string,
  status: string,
  fields: { count?: number; key_type?: 'normal' | 'team' | 'test'; notification_type?: 'sms' | 'letter' } = {},
): Promise<void> {
  await harness.app.db
    .insertInto('daily_status_counts')
    .values({
      service_id: service,
      template_id,
      london_day,
      status,
      notification_type: template_id === text ? 'sms' : 'letter',
      key_type: 'normal',
      count: 1,
      ...fields,
    })
    .execute();
}

describe('GET /service/{service_id}/template-statistics', () => {
  function get(query: string, of = service) {
    return harness.admin('GET', `/service/${of}/template-statistics${query}`);
  }

  it('200 by template and status, for today and the days before', async () => {
    await count(text, '2026-07-16', 'delivered', { count: 3 });
    await count(text, '2026-07-16', 'delivered', { count: 2, key_type: 'team' });
    await count(text, '2026-07-16', 'delivered', { count: 9, key_type: 'test' });
    await count(text, '2026-07-15', 'created', { count: 4 });
    await count(text, '2026-07-14', 'created', { count: 5 });
    await count(text, '2026-07-16', 'sending', { count: 0 });
    await count(precompiled, '2026-07-16', 'cancelled');
    const letter = {
      count: 1,
      status: 'cancelled',
      template_id: precompiled,
      template_name: 'Pre-compiled PDF',
      template_type: 'letter',
      is_precompiled_letter: true,
    };
    const message = {
      template_id: text,
      template_name: 'Text',
      template_type: 'sms',
      is_precompiled_letter: false,
    };
    const delivered = { ...message, count: 5, status: 'delivered' };
    const today = await get('?whole_days=0');
    expect(today.status).toBe(200);
    expect(today.body).toEqual({ data: [letter, delivered] });
    const since = await get('?whole_days=1');
    expect(since.body.data).toEqual([letter, { ...message, count: 4, status: 'created' }, delivered]);
    expect((await get('?limit_days=7')).body.data[1]).toMatchObject({ count: 9, status: 'created' });
  });

  it('200 with an empty list when nothing was sent', async () => {
    expect((await get('?whole_days=7')).body).toEqual({ data: [] });
  });

  it.each(['-1', '8'])('400 when the number of days is %s', async (days) => {
    const { status, body } = await get(`?whole_days=${days}`);
    expect(status).toBe(400);
    expect(body.message).toEqual({ whole_days: ['whole_days must be between 0 and 7'] });
  });

  it('400 when the number of days is missing or not a number', async () => {
    expect((await get('')).body.message).toEqual({ whole_days: ['Missing data for required field.'] });
    expect((await get('?whole_days=week')).body.message).toEqual({ whole_days: ['Not a valid integer.'] });
  });

  it('404 when the service does not exist', async () => {
    const { status, body } = await get('?whole_days=1', unknown);
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('GET /service/{service_id}/template-statistics/last-used/{template_id}', () => {
  function get(id: string) {
    return harness.admin('GET', `/service/${service}/template-statistics/last-used/${id}`);
  }

  it('200 with the start of the London day it was last used on', async () => {
    await count(text, '2026-07-01', 'delivered');
    await count(text, '2026-01-05', 'delivered');
    await count(text, '2026-07-10', 'delivered', { key_type: 'test' });
    await count(text, '2026-07-11', 'created', { count: 0 });
    const { status, body } = await get(text);
    expect(status).toBe(200);
    expect(body).toEqual({ last_date_used: '2026-06-30T23:00:00.000000Z' });
  });

  it('200 with null when it was never used', async () => {
    expect((await get(text)).body).toEqual({ last_date_used: null });
  });

  it('404 when the template does not exist or belongs to another service', async () => {
    const elsewhere = await aTemplate(harness, await aService(harness));
    for (const id of [unknown, elsewhere]) {
      const { status, body } = await get(id);
      expect(status).toBe(404);
      expect(body).toEqual(noResult);
    }
  });
});

describe('GET /service/{service_id}/notifications/templates_usage/monthly', () => {
  function get(query: string, of = service) {
    return harness.admin('GET', `/service/${of}/notifications/templates_usage/monthly${query}`);
  }

  it('200 by template and month of the financial year', async () => {
    await count(text, '2026-04-01', 'delivered', { count: 2 });
    await count(text, '2026-04-30', 'permanent-failure', { count: 3 });
    await count(text, '2026-04-02', 'delivered', { count: 9, key_type: 'test' });
    await count(text, '2027-03-31', 'created', { count: 4 });
    await count(text, '2026-03-31', 'delivered', { count: 7 });
    await count(text, '2027-04-01', 'delivered', { count: 7 });
    await count(precompiled, '2026-04-02', 'delivered');
    await count(precompiled, '2026-04-02', 'cancelled', { count: 8 });
    const message = { template_id: text, name: 'Text', type: 'sms', is_precompiled_letter: false };
    const { status, body } = await get('?year=2026');
    expect(status).toBe(200);
    expect(body).toEqual({
      stats: [
        {
          template_id: precompiled,
          name: 'Pre-compiled PDF',
          type: 'letter',
          is_precompiled_letter: true,
          month: 4,
          year: 2026,
          count: 1,
        },
        { ...message, month: 4, year: 2026, count: 5 },
        { ...message, month: 3, year: 2027, count: 4 },
      ],
    });
  });

  it.each(['', '?year=', '?year=this', '?year=99999'])('400 when the query is "%s"', async (query) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'Year must be a number' });
  });

  it('404 when the service does not exist', async () => {
    expect((await get('?year=2026', unknown)).status).toBe(404);
  });
});
