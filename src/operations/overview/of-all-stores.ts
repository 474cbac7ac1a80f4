import { type LaneDepth, maxCounted } from '../../notifications/queue/lane-depths.ts';
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
