import type { Config } from '../../config.ts';
import { earlier, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { platformUserId } from '../../users/account-messages.ts';
import { lockShares, type ProviderShare, updateProvider } from './provider-details.sql.ts';
import { countErrorsSince, selectSpeeds } from './provider-health.sql.ts';
import { inTime_ms, periodStart } from './provider-health.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'log'> & { config: Pick<Config, 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS'> };
type Channel = 'sms' | 'email';

/** Points of priority that move at a time. */
const step = 10;
const tolerableErrors = 50;
const tolerableSlowShare = 0.15;

/** Too many failed calls within a minute: the others get some of this provider’s share, at most once a minute. */
export async function shiftFromFailing(app: Deps, channel: Channel): Promise<void> {
  const now = app.clock.now();
  const since = timestamp(periodStart(earlier(now, minute_ms)));
  const errors = await countErrorsSince(app.db, since);
  const failing = [...errors].filter(([, count]) => count > tolerableErrors).map(([provider]) => provider);
  if (failing.length === 0) return;
  await changeShares(app, channel, minute_ms, async (places) => {
    const [worst] = places
      .filter(({ identifier }) => failing.includes(identifier))
      .sort((one, other) => (errors.get(other.identifier) ?? 0) - (errors.get(one.identifier) ?? 0));
    return worst && away(places, worst, `${errors.get(worst.identifier)} failed calls within a minute`);
  });
}

/** Receipts that take five minutes and more: the same, unless everybody is slow. */
export async function shiftFromSlow(app: Deps): Promise<void> {
  const now = app.clock.now();
  await changeShares(app, 'sms', 5 * minute_ms, async (places, tx) => {
    const since = timestamp(earlier(now, 15 * minute_ms));
    const speeds = await selectSpeeds(tx, since, timestamp(earlier(now, inTime_ms)));
    const slowShare = (place: ProviderShare) => {
      const speed = speeds.find(({ provider }) => provider === place.identifier);
      return speed && speed.messages > 0 ? speed.slow / speed.messages : 0;
    };
    const slow = places.filter((place) => slowShare(place) >= tolerableSlowShare);
    if (slow.length === places.length) return undefined;
    const [slowest] = slow.sort((one, other) => slowShare(other) - slowShare(one));
    const percent = slowest && Math.round(slowShare(slowest) * 100);
    return slowest && away(places, slowest, `${percent} % of its messages took five minutes or more`);
  });
}

/** Nothing has changed for a quarter of an hour: everybody moves towards the usual share. */
export async function driftBack(app: Deps): Promise<void> {
  for (const channel of ['sms', 'email'] as const) {
    await changeShares(app, channel, 15 * minute_ms, async (places) =>
      places
        .filter(({ priority, resting_priority }) => priority !== resting_priority)
        .map(({ id, identifier, priority, resting_priority }) => ({
          id,
          identifier,
          priority: priority + clamp(resting_priority - priority, -step, step),
          reason: 'drifts back to its usual share',
        })),
    );
  }
}

interface NewShare {
  id: string;
  identifier: string;
  priority: number;
  reason: string;
}

type Decide = (places: ProviderShare[], tx: Tx) => Promise<NewShare[] | undefined>;

/**
 * Under a lock, so that of many processes that see the same trouble one acts. Only providers in use count, and nothing
 * moves while any of them has changed within `quiet_ms`.
 */
async function changeShares(app: Deps, channel: Channel, quiet_ms: number, decide: Decide): Promise<void> {
  const { config, clock, log, db } = app;
  const inUse: string[] = channel === 'sms' ? config.SMS_PROVIDERS : config.EMAIL_PROVIDERS;
  if (inUse.length < 2) return;
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    const places = (await lockShares(tx, channel)).filter((place) => place.active && inUse.includes(place.identifier));
    const quiet = places.every(
      ({ updated_at }) => updated_at === null || now.getTime() - Date.parse(updated_at) >= quiet_ms,
    );
    if (places.length < 2 || !quiet) return;
    for (const { id, identifier, priority, reason } of (await decide(places, tx)) ?? []) {
      const before = places.find((place) => place.id === id)?.priority;
      if (before === priority) continue;
      await updateProvider(tx, id, { priority, reason, created_by_id: platformUserId }, timestamp(now));
      log.warn({ provider: identifier, before, priority, reason }, 'a provider’s share changed');
    }
  });
}

function away(places: ProviderShare[], from: ProviderShare, reason: string): NewShare[] {
  const others = places.filter(({ id }) => id !== from.id);
  const gain = Math.max(1, Math.round(step / others.length));
  return [
    { id: from.id, identifier: from.identifier, priority: clamp(from.priority - step, 0, 100), reason },
    ...others.map(({ id, identifier, priority }) => ({
      id,
      identifier,
      priority: clamp(priority + gain, 0, 100),
      reason: `${from.identifier}: ${reason}`,
    })),
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
