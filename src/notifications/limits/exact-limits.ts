import type { Tx } from '../../platform/db/database.ts';
import type { LimitedChannel } from '../notification.ts';
import {
  addToDayCounts,
  addToYearCounts,
  type DayOfLimit,
  lockDayCounts,
  type YearOfLimit,
} from './annual-limits.sql.ts';
import { type AnnualQuota, lockYears } from './annual-limits.ts';
import type { LimitedMessage } from './daily-limits.ts';

/** Why a message was rejected. */
export type Refusal = { kind: 'day'; channel: LimitedChannel } | { kind: 'year'; quota: AnnualQuota };

/** A counter row, locked until the transaction ends. */
interface Counter<Place> {
  place: Place;
  count: number;
  added: number;
}

/**
 * Counts messages of services with annual limits or limits in parts, in order. The first exhausted limit rejects a message, which then
 * counts towards none. Locks on the counters make this exact under concurrency, even with several statements in between.
 */
export async function claimWithinLimits(
  tx: Tx,
  messages: (LimitedMessage | null)[],
  lockTimeout_ms: number,
): Promise<(Refusal | undefined)[]> {
  const days = new Map<string, Counter<DayOfLimit>>();
  const years = new Map<string, Counter<YearOfLimit>>();
  const limitsOf = messages.map((message) => {
    if (!message) return [];
    const { service, utc_day, abroad, channel, annual, parts } = message;
    const channels: LimitedChannel[] = abroad ? ['international_sms', channel] : [channel];
    return [
      ...channels.map((limited) => ({
        counter: counterOf(days, { service_id: service.id, utc_day, channel: limited }),
        limit: service.daily_limits[limited],
        amount: limited === channel ? (parts ?? 1) : 1,
        refusal: { kind: 'day' as const, channel: limited },
      })),
      ...annual.map((quota) => {
        const { limit, ...place } = quota;
        const amount = quota.unit === 'parts' ? (parts ?? 1) : 1;
        return { counter: counterOf(years, place), limit, amount, refusal: { kind: 'year' as const, quota } };
      }),
    ];
  });
  await lock(days, (places) => lockDayCounts(tx, places, lockTimeout_ms));
  await lock(years, (places) => lockYears(tx, places));
  const refusals = limitsOf.map((limits) => {
    const exceeded = limits.find(({ counter, limit, amount }) => counter.count + counter.added + amount > limit);
    if (!exceeded) for (const { counter, amount } of limits) counter.added += amount;
    return exceeded?.refusal;
  });
  await addToDayCounts(tx, changesOf(days));
  await addToYearCounts(tx, changesOf(years));
  return refusals;
}

function counterOf<Place extends object>(counters: Map<string, Counter<Place>>, place: Place): Counter<Place> {
  const key = Object.values(place).join(' ');
  const existing = counters.get(key);
  if (existing) return existing;
  const counter = { place, count: 0, added: 0 };
  counters.set(key, counter);
  return counter;
}

async function lock<Place>(
  counters: Map<string, Counter<Place>>,
  read: (places: Place[]) => Promise<number[]>,
): Promise<void> {
  const all = [...counters.values()];
  if (all.length === 0) return;
  const counts = await read(all.map(({ place }) => place));
  for (const [index, counter] of all.entries()) counter.count = counts[index] ?? 0;
}

function changesOf<Place>(counters: Map<string, Counter<Place>>): (Place & { added: number })[] {
  return [...counters.values()].flatMap(({ place, added }) => (added === 0 ? [] : [{ ...place, added }]));
}
