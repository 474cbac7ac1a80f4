import { earlier, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { platformUserId } from '../../users/platform-user.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import { lockShares, type ProviderShare, updateProvider } from './provider-details.sql.ts';
import { countErrorsSince, selectSpeeds } from './provider-health.sql.ts';
import { inTime_ms, nameInHealth, periodStart } from './provider-health.ts';

type Deps = Platform & { config: ActiveProviders };
type FailoverChannel = 'sms' | 'email';

/** Points of priority moved at a time. */
const step = 10;
const maxErrors = 50;
const maxSlowShare = 0.15;

/** Moves share away from a provider with too many failed calls within a minute, at most once a minute. */
export async function moveShareFromFailing(app: Deps, channel: FailoverChannel): Promise<void> {
  const now = app.clock.now();
  const since = timestamp(periodStart(earlier(now, minute_ms)));
  const errors = await countErrorsSince(app.db, since);
  if (![...errors.values()].some((count) => count > maxErrors)) return;
  await changeShares(app, channel, minute_ms, async (shares) => {
    const errorsOf = ({ identifier }: ProviderShare) => errors.get(nameInHealth(channel, identifier)) ?? 0;
    const [worst] = shares
      .filter((share) => errorsOf(share) > maxErrors)
      .sort((one, other) => errorsOf(other) - errorsOf(one));
    return worst && moveAway(shares, worst, `${errorsOf(worst)} failed calls within a minute`);
  });
}

/** Moves share away from a provider whose receipts take five minutes or more, unless all providers are slow. */
export async function moveFromSlow(app: Deps): Promise<void> {
  const now = app.clock.now();
  await changeShares(app, 'sms', 5 * minute_ms, async (shares, tx) => {
    const since = timestamp(earlier(now, 15 * minute_ms));
    const speeds = await selectSpeeds(tx, since, timestamp(earlier(now, inTime_ms)));
    const slowShare = (share: ProviderShare) => {
      const speed = speeds.find(({ provider }) => provider === share.identifier);
      return speed && speed.messages > 0 ? speed.slow / speed.messages : 0;
    };
    const slow = shares.filter((share) => slowShare(share) >= maxSlowShare);
    if (slow.length === shares.length) return undefined;
    const [slowest] = slow.sort((one, other) => slowShare(other) - slowShare(one));
    const percent = slowest && Math.round(slowShare(slowest) * 100);
    return slowest && moveAway(shares, slowest, `${percent} % of its messages took five minutes or more`);
  });
}

/** Moves all providers towards their resting share after 15 minutes without a change. */
export async function restoreShares(app: Deps): Promise<void> {
  for (const channel of ['sms', 'email'] as const) {
    await changeShares(app, channel, 15 * minute_ms, async (shares) =>
      shares
        .filter(({ priority, resting_priority }) => priority !== resting_priority)
        .map(({ id, identifier, priority, resting_priority }) => ({
          id,
          identifier,
          priority: priority + clamp(resting_priority - priority, -step, step),
          reason: 'moves back to its usual share',
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

type Decide = (shares: ProviderShare[], tx: Tx) => Promise<NewShare[] | undefined>;

/**
 * Takes a lock, so that only one of several processes acts on the same problem. Only active providers count, and nothing
 * moves if any of them changed within `quiet_ms`.
 */
async function changeShares(app: Deps, channel: FailoverChannel, unchanged_ms: number, decide: Decide): Promise<void> {
  const { config, clock, log, db } = app;
  const inUse = config[channel].providers;
  if (inUse.length < 2) return;
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    const shares = (await lockShares(tx, channel)).filter((share) => share.active && inUse.includes(share.identifier));
    const isUnchanged = shares.every(
      ({ updated_at }) => updated_at === null || now.getTime() - Date.parse(updated_at) >= unchanged_ms,
    );
    if (shares.length < 2 || !isUnchanged) return;
    for (const { id, identifier, priority, reason } of (await decide(shares, tx)) ?? []) {
      const before = shares.find((share) => share.id === id)?.priority;
      if (before === priority) continue;
      await updateProvider(tx, id, { priority, reason, created_by_id: platformUserId }, timestamp(now));
      log.warn(
        { event: 'provider.share_changed', provider: identifier, before, priority, reason },
        'The share of a provider changed',
      );
    }
  });
}

function moveAway(shares: ProviderShare[], from: ProviderShare, reason: string): NewShare[] {
  const others = shares.filter(({ id }) => id !== from.id);
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

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
