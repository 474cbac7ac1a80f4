import { earlier, hour_ms, minute_ms, type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { platformUserId } from '../../users/platform-user.ts';
import {
  type ProviderDetails,
  type ShareMove,
  selectProviders,
  selectShareMovesSince,
} from './provider-details.sql.ts';
import { type HealthPeriod, selectHealthSince, selectReceiptCounts, selectSpeeds } from './provider-health.sql.ts';
import { inTime_ms, nameInHealth } from './provider-health.ts';

export type { HealthPeriod, ShareMove };

/** How many calls of the last minute must fail before a provider counts as failing. */
const minErrors = 3;
/** A few receipts that match no message may be about deleted messages, or about messages of another system with the same account. */
const minUnmatched = 5;
/** With fewer messages, speed is not evaluated. */
const minEvaluated = 20;
/** Failover starts to move share away at this share of slow messages. */
const maxSlowShare = 0.15;

export type ProviderHealth = 'well' | 'errors' | 'failing' | 'slow';

export interface ProviderState {
  identifier: string;
  display_name: string;
  notification_type: ProviderDetails['notification_type'];
  active: boolean;
  priority: number;
  health: ProviderHealth;
  /** The start of the last ten-second period in which it accepted a message, within the last hour. */
  last_success: Timestamp | undefined;
  /** Set if the provider fails: when that began, and the calls since then. */
  failing: { since: Timestamp; errors: number; calls: number } | undefined;
  /** Set if at least three calls failed since its last success within the last hour: when the first of them did. */
  without_success_since: Timestamp | undefined;
  /** The share of recent messages with a receipt in time; undefined if there are too few messages. */
  in_time: number | undefined;
  /** The calls of the last hour, oldest first. */
  periods: HealthPeriod[];
  handed_over_last_hour: number;
  /** How many receipts of the last hour match no message. Set if these are the majority. */
  unmatched_receipts: number | undefined;
  /** The moves of the last hour, newest first. */
  moves: ShareMove[];
}

/** Returns the state of every provider, and the calls of the last hour. */
export async function readProviderStates({ db, clock }: Platform) {
  const now = clock.now();
  const anHourAgo = timestamp(earlier(now, hour_ms));
  const [providers, periods, speeds, receipts, moves] = await Promise.all([
    selectProviders(db),
    selectHealthSince(db, anHourAgo),
    selectSpeeds(db, timestamp(earlier(now, 15 * minute_ms)), timestamp(earlier(now, inTime_ms))),
    selectReceiptCounts(db, anHourAgo),
    selectShareMovesSince(db, platformUserId, anHourAgo),
  ]);
  const states = providers.map((provider): ProviderState => {
    const { identifier, display_name, notification_type, active, priority } = provider;
    const isOwn = (one: { provider: string }) => one.provider === nameInHealth(notification_type, identifier);
    const own = periods.filter(isOwn);
    const failing = failureOf(own, now);
    const speed = speeds.find(isOwn);
    const in_time = speed && speed.messages >= minEvaluated ? 1 - speed.slow / speed.messages : undefined;
    const isSlow = in_time !== undefined && 1 - in_time >= maxSlowShare && notification_type === 'sms';
    const { matched = 0, unmatched = 0 } = receipts.find(isOwn) ?? {};
    return {
      ...{ identifier, display_name, notification_type, active, priority },
      health: failing ? (failing.errors >= minErrors ? 'failing' : 'errors') : isSlow ? 'slow' : 'well',
      failing,
      without_success_since: outageOf(own),
      last_success: own.findLast(hasSuccess)?.period_start,
      in_time: notification_type === 'sms' ? in_time : undefined,
      periods: own,
      handed_over_last_hour: own.reduce((sum, { handed_over }) => sum + handed_over, 0),
      unmatched_receipts: unmatched >= minUnmatched && unmatched > matched ? unmatched : undefined,
      moves: moves.filter((move) => move.identifier === identifier && move.notification_type === notification_type),
    };
  });
  return { states, periods };
}

/**
 * Returns undefined unless at least half of the latest calls, within the last minute, failed: one successful call after a repair is enough
 * to count as well again. The failure began with the first failed call after the last success. While some calls still succeed, it began
 * with the first of the periods in which at least half failed.
 */
function failureOf(periods: HealthPeriod[], now: Date): ProviderState['failing'] {
  const fails = ({ handed_over, errors }: HealthPeriod) => errors > 0 && errors >= handed_over;
  const latest = periods.at(-1);
  if (!latest || Date.parse(latest.period_start) < now.getTime() - minute_ms || !fails(latest)) return undefined;
  const isOver = latest.handed_over > 0 ? (period: HealthPeriod) => !fails(period) : hasSuccess;
  const failed = periods.slice(periods.findLastIndex(isOver) + 1);
  const errors = failed.reduce((sum, period) => sum + period.errors, 0);
  const calls = errors + failed.reduce((sum, period) => sum + period.handed_over, 0);
  return { since: failed[0]?.period_start ?? latest.period_start, errors, calls };
}

/** An outage lasts until the next success, also while no retry is due and so no call is made. */
function outageOf(periods: HealthPeriod[]): Timestamp | undefined {
  const failed = periods.slice(periods.findLastIndex(hasSuccess) + 1).filter(({ errors }) => errors > 0);
  const errors = failed.reduce((sum, period) => sum + period.errors, 0);
  return errors >= minErrors ? failed[0]?.period_start : undefined;
}

function hasSuccess({ handed_over }: HealthPeriod): boolean {
  return handed_over > 0;
}
