import { type LaneDepth, maxCounted, type Retries } from '../../notifications/queue/lane-depths.ts';
import type { Facts } from './verdict.ts';

/** Each lane once, however many stores it is in. */
export function lanesOf(depths: readonly LaneDepth[]): LaneDepth[] {
  const lanes = new Map<string, LaneDepth>();
  for (const depth of depths) {
    const key = `${depth.notification_type} ${depth.lane}`;
    const known = lanes.get(key);
    const waiting = Math.min(maxCounted, depth.waiting + (known?.waiting ?? 0));
    const oldest_due_at = earliest([depth.oldest_due_at, known?.oldest_due_at]) ?? depth.oldest_due_at;
    lanes.set(key, { ...depth, waiting, oldest_due_at });
  }
  return [...lanes.values()];
}

/** Each channel once. */
export function retriesOf(counts: readonly Retries[]): Retries[] {
  const channels = new Map<string, Retries>();
  for (const one of counts) {
    const known = channels.get(one.notification_type);
    channels.set(one.notification_type, {
      notification_type: one.notification_type,
      waiting: Math.min(maxCounted, one.waiting + (known?.waiting ?? 0)),
      not_due: Math.min(maxCounted, one.not_due + (known?.not_due ?? 0)),
      oldest_at: earliest([one.oldest_at, known?.oldest_at]),
    });
  }
  return [...channels.values()];
}

export function lateLettersOf(counts: readonly Facts['late_letters'][]): Facts['late_letters'] {
  return {
    not_printed: counts.reduce((sum, { not_printed }) => sum + not_printed, 0),
    not_despatched: counts.reduce((sum, { not_despatched }) => sum + not_despatched, 0),
    first_day: earliest(counts.map(({ first_day }) => first_day)),
  };
}

export function callbacksOf(counts: readonly Facts['callbacks'][]): Facts['callbacks'] {
  return {
    waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
    oldest_due_at: earliest(counts.map(({ oldest_due_at }) => oldest_due_at)),
  };
}

function earliest<Moment extends string>(moments: readonly (Moment | null | undefined)[]): Moment | null {
  return moments.filter((moment) => moment !== null && moment !== undefined).sort()[0] ?? null;
}
