import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';
import type { Channel } from '../protocol/channels.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const none = { requested: 0, delivered: 0, failed: 0 };
const noneOfMonth = { ...none, sending: 0 };

interface Counted {
  service_id: string;
  london_day: string;
  notification_type?: Channel;
  key_type?: 'normal' | 'team' | 'test';
  status?: string;
  count?: number;
}

async function count(...rows: Counted[]) {
  await harness.app.db
    .insertInto('daily_status_counts')
    .values(
      rows.map((row) => ({
        template_id: newId(new Date()),
        notification_type: 'sms' as const,
        key_type: 'normal' as const,
        status: 'delivered',
        count: 1,
        ...row,
      })),
    )
    .execute();
}

describe('GET /service/{id}/statistics', () => {
  const statistics = async (id: string, query = '') =>
    (await admin('GET', `/service/${id}/statistics${query}`)).body.data;

  it('200 with zeros for every channel', async () => {
    const id = await aService(harness);
    expect(await admin('GET', `/service/${id}/statistics`)).toMatchObject({
      status: 200,
      body: { data: { email: none, sms: none, letter: none } },
    });
  });

  it('200 with each status under its counters', async () => {
    const service_id = await aService(harness);
    const london_day = '2026-11-15';
    const statuses = {
      requested: ['created', 'sending', 'pending', 'pending-virus-check', 'returned-letter'],
      delivered: ['sent', 'delivered'],
      failed: [
        'failed',
        'technical-failure',
        'temporary-failure',
        'permanent-failure',
        'validation-failed',
        'virus-scan-failed',
      ],
    };
    const all = [...statuses.requested, ...statuses.delivered, ...statuses.failed, 'cancelled'];
    await count(...all.map((status) => ({ service_id, london_day, status, notification_type: 'letter' as const })));
    expect(await statistics(service_id)).toEqual({
      email: none,
      sms: none,
      letter: { requested: 13, delivered: 2, failed: 6 },
    });
  });

  it('200 with today and seven days before by default, without test keys', async () => {
    const service_id = await aService(harness);
    await count(
      { service_id, london_day: '2026-11-15', key_type: 'team' },
      { service_id, london_day: '2026-11-15', key_type: 'test', count: 100 },
      { service_id, london_day: '2026-11-14', count: 2 },
      { service_id, london_day: '2026-11-08', count: 4 },
      { service_id, london_day: '2026-11-07', count: 8 },
    );
    const requested = async (query = '') => (await statistics(service_id, query)).sms.requested;
    expect(await requested()).toBe(7);
    expect(await requested('?limit_days=7')).toBe(7);
    expect(await requested('?limit_days=1')).toBe(3);
    expect(await requested('?limit_days=0')).toBe(1);
    expect(await requested('?limit_days=99999999')).toBe(15);
    expect(await requested('?today_only=True')).toBe(1);
    expect(await requested('?today_only=False&limit_days=8')).toBe(15);
    const detailed = async (query: string) =>
      (await admin('GET', `/service/${service_id}?detailed=true${query}`)).body.data;
    expect((await detailed('')).statistics.sms.requested).toBe(7);
    expect((await detailed('&today_only=true')).statistics.sms.requested).toBe(1);
  });

  it.each([
    ['limit_days=week', { limit_days: ['Not a valid integer.'] }],
    ['limit_days=-1', { limit_days: ['Must be greater than or equal to 0.'] }],
    ['today_only=si', { today_only: ['Not a valid boolean.'] }],
  ])('400 for ?%s', async (query, message) => {
    const id = await aService(harness);
    const { status, body } = await admin('GET', `/service/${id}/statistics?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/statistics`)).status).toBe(404);
  });
});

describe('GET /service/{id}/notifications/monthly', () => {
  const monthly = (id: string, query: string) => admin('GET', `/service/${id}/notifications/monthly${query}`);

  it('200 with the months of the year that have begun', async () => {
    const id = await aService(harness);
    const { status, body } = await monthly(id, '?year=2026');
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual([
      '2026-04',
      '2026-05',
      '2026-06',
      '2026-07',
      '2026-08',
      '2026-09',
      '2026-10',
      '2026-11',
    ]);
    expect(body.data['2026-04']).toEqual({ email: noneOfMonth, sms: noneOfMonth, letter: noneOfMonth });
    expect(Object.keys((await monthly(id, '?year=2025')).body.data)).toHaveLength(12);
    expect(Object.keys((await monthly(id, '?year=2025')).body.data).at(-1)).toBe('2026-03');
    expect((await monthly(id, '?year=2027')).body).toEqual({ data: {} });
  });

  it('200 with the counts of each month, without test keys and other years', async () => {
    const service_id = await aService(harness);
    await count(
      { service_id, london_day: '2026-03-31', count: 1 },
      { service_id, london_day: '2026-04-01', count: 2 },
      { service_id, london_day: '2026-04-30', status: 'permanent-failure', count: 4 },
      { service_id, london_day: '2026-04-30', status: 'cancelled', count: 100 },
      { service_id, london_day: '2026-11-15', status: 'created', notification_type: 'email', count: 8 },
      { service_id, london_day: '2026-11-14', status: 'sent', count: 1 },
      { service_id, london_day: '2026-11-14', status: 'pending', count: 1 },
      { service_id, london_day: '2026-11-15', status: 'sending', count: 1 },
      { service_id, london_day: '2026-11-15', key_type: 'test', count: 100 },
    );
    const { data } = (await monthly(service_id, '?year=2026')).body;
    const months = { email: noneOfMonth, sms: noneOfMonth, letter: noneOfMonth };
    expect(data['2026-04']).toEqual({ ...months, sms: { requested: 6, delivered: 2, failed: 4, sending: 0 } });
    expect(data['2026-05']).toEqual(months);
    expect(data['2026-11']).toEqual({
      ...months,
      sms: { requested: 3, delivered: 1, failed: 0, sending: 2 },
      email: { requested: 8, delivered: 0, failed: 0, sending: 8 },
    });
    expect((await monthly(service_id, '?year=2025')).body.data['2026-03'].sms.requested).toBe(1);
  });

  it.each(['', '?year=', '?year=now', '?year=20.5', '?year=-1'])('400 for %j', async (query) => {
    const { status, body } = await monthly(await aService(harness), query);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'Year must be a number' });
  });

  it('404 for an unknown service, before validating the year', async () => {
    expect((await monthly(newId(new Date()), '')).status).toBe(404);
  });
});

describe('GET /service?detailed=true', () => {
  let busy: string;
  let idle: string;
  let closed: string;
  beforeAll(async () => {
    busy = await aService(harness);
    idle = await aService(harness);
    closed = await aService(harness, { active: false });
    await count(
      { service_id: busy, london_day: '2026-11-15', count: 1 },
      { service_id: busy, london_day: '2026-11-15', key_type: 'test', count: 2 },
      { service_id: busy, london_day: '2026-10-10', count: 4 },
      { service_id: closed, london_day: '2026-10-10', count: 8 },
    );
  });

  async function list(query = '') {
    const { body } = await admin('GET', `/service?detailed=true${query}`);
    return new Map<string, { statistics: { sms: { requested: number } } }>(
      body.data.map((service: { id: string }) => [service.id, service]),
    );
  }

  it('200 with every service and today’s statistics, zeros when idle', async () => {
    const found = await list();
    expect(found.get(busy)).toMatchObject({
      permissions: expect.any(Array),
      created_at: '2026-11-15T12:00:00.000000Z',
      statistics: { sms: { requested: 3, delivered: 3, failed: 0 }, email: none, letter: none },
    });
    expect(found.get(idle)?.statistics).toEqual({ email: none, sms: none, letter: none });
    expect(found.has(closed)).toBe(true);
    expect((await list('&only_active=true')).has(closed)).toBe(false);
  });

  it('200 without test keys on request', async () => {
    for (const text of ['false', 'False', '0']) {
      expect((await list(`&include_from_test_key=${text}`)).get(busy)?.statistics.sms.requested).toBe(1);
    }
  });

  it('200 for a range that includes today: all services, with the sum', async () => {
    const found = await list('&start_date=2026-10-10');
    expect(found.get(busy)?.statistics.sms.requested).toBe(7);
    expect(found.get(closed)?.statistics.sms.requested).toBe(8);
    expect(found.has(idle)).toBe(true);
  });

  it('200 for a range in the past: only services that sent messages in it', async () => {
    const found = await list('&start_date=2026-10-01&end_date=2026-10-10');
    expect([...found.keys()]).toEqual([busy, closed]);
    expect(found.get(busy)?.statistics.sms.requested).toBe(4);
    expect([...(await list('&start_date=2026-10-01&end_date=2026-10-10&only_active=true')).keys()]).toEqual([busy]);
    expect((await list('&end_date=2020-01-01')).size).toBe(0);
  });

  it('makes two queries for any number of services', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await list();
    // Heartbeats come at any time.
    const statements = query.mock.calls.filter((call) => !JSON.stringify(call).includes('heartbeat'));
    expect(statements).toHaveLength(2);
    query.mockRestore();
  });
});
