import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { somePastMessages } from '../../../test/kit/builders/messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import { preparePartitions } from '../../notifications/partitions.ts';
import { foldRollups, reconcileRollups } from '../../notifications/rollups/rollups.ts';
import { momentOfId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { changeZone, refuseWhileInUse } from './change-country.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function rows<T>(query: ReturnType<typeof sql<T>>): Promise<T[]> {
  return (await query.execute(harness.app.db)).rows;
}

const inZone = (zone: string): Platform => ({
  ...harness.app,
  country: createCountry({ ...gb, calendar: { ...gb.calendar, zone } }),
});

/** Texts of a service by day, as all tables have them. */
async function countsOf(service: string) {
  const statuses = await rows(sql<{ london_day: string; count: number }>`
    select london_day, sum(count)::integer as count from status_counts where service_id = ${service}
    group by 1 having sum(count) <> 0 order by 1`);
  const usage = await rows(sql<{ london_day: string; units: number }>`
    select london_day, sum(billable_units)::integer as units from usage_counts where service_id = ${service}
    group by 1 having sum(billable_units) <> 0 order by 1`);
  const spans = await rows(sql<{ first_day: string; sms_sent: number }>`
    select first_day, sms_sent from service_usage_spans
    where service_id = ${service} and span = 'day' and sms_sent <> 0 order by 1`);
  return {
    statuses: statuses.map(({ london_day, count }) => [london_day, count]),
    usage: usage.map(({ london_day, units }) => [london_day, units]),
    spans: spans.map(({ first_day, sms_sent }) => [first_day, sms_sent]),
  };
}

async function repairsIn(zone: string): Promise<number> {
  let repairs = 0;
  await reconcileRollups(inZone(zone), (_rollup, count) => {
    repairs += count;
  });
  return repairs;
}

describe('pennypost country change --zone', () => {
  it('moves messages to their days in the new zone, and conserves every sum', async () => {
    const service = await aService(harness);
    const message = (created_at: string, billable_units = 1) =>
      ({ service_id: service, notification_type: 'sms', status: 'delivered', created_at, billable_units }) as const;
    const [deleted = ''] = await somePastMessages(harness, [
      message('2026-11-08T23:30:00Z'),
      message('2026-11-09T23:30:00Z', 3),
      message('2026-11-10T10:00:00Z'),
      message('2026-11-15T01:00:00Z', 2),
    ]);
    await rows(sql`delete from notifications where id = ${deleted}`);
    await foldRollups(harness.app.db);

    expect(await changeZone(harness.app, 'Asia/Kathmandu')).toMatchObject({
      first_day: '2026-11-10',
      old_zone: 'Europe/London',
      new_zone: 'Asia/Kathmandu',
    });
    expect(await countsOf(service)).toEqual({
      statuses: [
        ['2026-11-08', 1],
        ['2026-11-10', 2],
        ['2026-11-15', 1],
      ],
      usage: [
        ['2026-11-08', 1],
        ['2026-11-10', 4],
        ['2026-11-15', 2],
      ],
      spans: [
        ['2026-11-08', 1],
        ['2026-11-10', 2],
        ['2026-11-15', 1],
      ],
    });
    expect(await repairsIn('Asia/Kathmandu')).toBe(0);

    harness.clock.advance({ minutes: 1 });
    expect(await changeZone(harness.app, 'America/New_York')).toMatchObject({ first_day: '2026-11-09' });
    expect((await countsOf(service)).usage).toEqual([
      ['2026-11-08', 1],
      ['2026-11-09', 3],
      ['2026-11-10', 1],
      ['2026-11-14', 2],
    ]);
    expect(await repairsIn('America/New_York')).toBe(0);
  });

  it('leaves partitions to the days of the new zone, and is recorded', async () => {
    await preparePartitions(inZone('America/New_York'));
    harness.clock.advance({ minutes: 1 });
    await changeZone(harness.app, 'Europe/Amsterdam');
    expect(await preparePartitions(inZone('Europe/Amsterdam'))).toBe(true);
    const partitions = await rows(sql<{ bounds: string }>`
      select pg_get_expr(child.relpartbound, child.oid) as bounds
      from pg_inherits join pg_class child on child.oid = inhrelid
      where inhparent = 'notifications'::regclass and child.relname = 'notifications_20261118'`);
    const [, from = ''] = /FROM \('([^']+)'\)/.exec(partitions[0]?.bounds ?? '') ?? [];
    expect(momentOfId(from)).toEqual(new Date('2026-11-17T23:00:00Z'));
    const entries = await rows(sql<{ client: string; after: object }>`
      select client, after from audit_log where noun = 'installation' order by created_at desc, id`);
    expect(entries).toContainEqual({ client: 'country change', after: { 'calendar.zone': 'Europe/Amsterdam' } });
    expect(await rows(sql`select zone, profile->'calendar'->>'zone' as of_profile from installation`)).toEqual([
      { zone: 'Europe/Amsterdam', of_profile: 'Europe/Amsterdam' },
    ]);
  });

  it('refuses the same zone, one that does not exist, and while a process is connected', async () => {
    await expect(changeZone(harness.app, 'Europe/Amsterdam')).rejects.toThrow(
      'counts days in Europe/Amsterdam already',
    );
    await expect(changeZone(harness.app, 'Europe/Atlantis')).rejects.toThrow('--zone must be a time zone such as');
    await rows(sql`select 1`);
    await expect(refuseWhileInUse(harness.app.apart.reading.db)).rejects.toThrow('stop every process');
  });
});
