import { beforeAll, describe, expect, it } from 'vitest';
import { aNotification, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../test/kit/harness.ts';
import { addDays, Calendar } from '../countries/calendar.ts';
import { gb } from '../countries/gb.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { hour_ms } from '../platform/clock.ts';
import { momentOfId } from '../platform/id.ts';
import { partitionOf, preparePartitions } from './partitions.ts';

/** Days of 23 and 25 hours, days that begin at 01:00, and a day that does not exist. */

const profileIn = (zone: string): CountryProfile => ({ ...gb, calendar: { ...gb.calendar, zone, limitDay: 'local' } });

/** Sends at a moment; returns the id. */
function sender(harness: Harness) {
  let service: string;
  let template: string;
  beforeAll(async () => {
    service = await aService(harness);
    template = await aTemplate(harness, service, { template_type: 'sms' });
  });
  return async (moment: Date) => {
    harness.clock.set(moment.toISOString());
    return aNotification(harness, service, template, { status: 'technical-failure' });
  };
}

async function partitionHolding({ app }: Harness, id: string): Promise<string | undefined> {
  const { rows } = await app.pool.query('select tableoid::regclass::text as name from notifications where id = $1', [
    id,
  ]);
  return rows[0]?.name;
}

/** By the day that SQL computed. */
async function countByDay({ app }: Harness, days: string[]): Promise<number[]> {
  const { rows } = await app.pool.query<{ london_day: string; count: string }>(
    'select london_day, sum(count) as count from status_counts where london_day = any ($1::date[]) group by 1',
    [days],
  );
  return days.map((day) => Number(rows.find(({ london_day }) => london_day === day)?.count ?? 0));
}

async function runTask(harness: Harness, name: string): Promise<void> {
  await harness.addTask(name);
  await harness.runTasks();
}

const repairs = ({ logged }: Harness) => logged.filter((line) => line.includes('rollup.repaired'));
const momentBefore = (moment: Date) => new Date(moment.getTime() - 1);

describe.each([
  ['Europe/London', [23, 24, 25]],
  ['America/Havana', [23, 24, 25]],
  ['Australia/Lord_Howe', [23.5, 24, 24.5]],
  ['Asia/Kathmandu', [24]],
])('partitions of %s', (zone, lengths) => {
  it('cover every moment of two years exactly once', () => {
    const calendar = new Calendar(zone);
    const found = new Set<number>();
    for (let day = '2026-01-01'; day < '2028-01-01'; day = addDays(day, 1)) {
      const { from_id, to_id } = partitionOf(calendar, day);
      expect(partitionOf(calendar, addDays(day, 1)).from_id).toBe(to_id);
      found.add((momentOfId(to_id).getTime() - momentOfId(from_id).getTime()) / hour_ms);
    }
    expect([...found].sort((one, other) => one - other)).toEqual(lengths);
  });
});

describe('a day that begins at 01:00, and one of 25 hours', () => {
  const harness = useHarness({ country: profileIn('America/Havana'), now: '2026-03-06T12:00:00Z' });
  const sentAt = sender(harness);

  it.each([
    ['2026-03-08', '2026-03-08T05:00:00.000Z', 23],
    ['2026-11-01', '2026-11-01T04:00:00.000Z', 25],
  ])('%s has its own messages, and they are kept as long as those of other days', async (day, start, hours) => {
    const { calendar } = harness.app.country;
    const next = addDays(day, 1);
    expect(calendar.start(day).toISOString()).toBe(start);
    expect((calendar.start(next).getTime() - calendar.start(day).getTime()) / hour_ms).toBe(hours);
    harness.clock.set(calendar.instant(addDays(day, -2), 12).toISOString());
    await preparePartitions(harness.app);
    const ids = {
      lastOfEve: await sentAt(momentBefore(calendar.start(day))),
      first: await sentAt(calendar.start(day)),
      last: await sentAt(momentBefore(calendar.start(next))),
      firstOfNext: await sentAt(calendar.start(next)),
    };
    const name = (of: string) => `notifications_${of.replaceAll('-', '')}`;
    const held = async () => Promise.all(Object.values(ids).map((id) => partitionHolding(harness, id)));
    expect(await held()).toEqual([name(addDays(day, -1)), name(day), name(day), name(next)]);
    expect(await countByDay(harness, [addDays(day, -1), day, next])).toEqual([1, 2, 1]);
    harness.clock.set(calendar.instant(next, 4).toISOString());
    await runTask(harness, 'reconcile-rollups');
    expect(repairs(harness)).toEqual([]);

    harness.clock.set(momentBefore(calendar.start(addDays(day, 8))).toISOString());
    await runTask(harness, 'apply-retention');
    expect(await held()).toEqual([undefined, name(day), name(day), name(next)]);
    harness.clock.set(calendar.start(addDays(day, 8)).toISOString());
    await runTask(harness, 'apply-retention');
    expect(await held()).toEqual([undefined, undefined, undefined, name(next)]);
  });
});

describe('a day that does not exist', () => {
  const harness = useHarness({ country: profileIn('Pacific/Apia'), now: '2011-12-27T12:00:00Z' });
  const sentAt = sender(harness);

  it('has no partition and no messages, and nothing is deleted early because of it', async () => {
    const { calendar } = harness.app.country;
    await preparePartitions(harness.app);
    const last = await sentAt(momentBefore(calendar.start('2011-12-30')));
    const first = await sentAt(calendar.start('2011-12-31'));
    const held = async () => Promise.all([last, first].map((id) => partitionHolding(harness, id)));
    expect(await held()).toEqual(['notifications_20111229', 'notifications_20111231']);
    expect(await countByDay(harness, ['2011-12-29', '2011-12-30', '2011-12-31'])).toEqual([1, 0, 1]);
    const { rows } = await harness.app.pool.query(`select to_regclass('notifications_20111230') as found`);
    expect(rows[0].found).toBeNull();

    for (const task of ['reconcile-rollups', 'record-processing-time', 'create-partitions']) {
      harness.clock.set(calendar.instant('2011-12-31', 4).toISOString());
      await runTask(harness, task);
    }
    expect(repairs(harness)).toEqual([]);
    expect(harness.logged.filter((line) => line.includes('task.failed'))).toEqual([]);

    harness.clock.set(calendar.instant('2012-01-05', 4).toISOString());
    await runTask(harness, 'apply-retention');
    expect(await held()).toEqual(['notifications_20111229', 'notifications_20111231']);
    harness.clock.set(calendar.instant('2012-01-07', 4).toISOString());
    await runTask(harness, 'apply-retention');
    expect(await held()).toEqual([undefined, 'notifications_20111231']);
    harness.clock.set(calendar.instant('2012-01-08', 4).toISOString());
    await runTask(harness, 'apply-retention');
    expect(await held()).toEqual([undefined, undefined]);
  });
});
