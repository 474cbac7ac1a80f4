import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { type Retries, selectLaneCounts, selectRetries, selectWaitingServices } from './delivery-queue.sql.ts';

export type { Retries };

export interface LaneDepth {
  notification_type: Channel;
  lane: number;
  /** `maxCounted` means: or more. */
  waiting: number;
  oldest_due_at: Timestamp;
}

export const maxCounted = 100_000;
/** Services per channel of which the oldest message is looked up. */
const maxServices = 1_000;

/** The lanes with due messages. The cost does not grow with the queue. */
export async function listLaneDepths({ db, clock }: Platform): Promise<LaneDepth[]> {
  const now = timestamp(clock.now());
  const [counts, ...waiting] = await Promise.all([
    selectLaneCounts(db, now, maxCounted),
    ...channels.map((type) =>
      selectWaitingServices(db, type, { after: { lane: -1, service_id: nilId }, limit: maxServices, now }),
    ),
  ]);
  return counts.flatMap((count) => {
    const services = waiting[channels.indexOf(count.notification_type)] ?? [];
    const dues = services.flatMap(({ lane, oldest }) => (lane === count.lane && oldest ? [oldest] : []));
    const [oldest_due_at] = dues.sort();
    return oldest_due_at === undefined ? [] : [{ ...count, oldest_due_at }];
  });
}

/** Messages that wait for another attempt, for each channel. The cost does not grow with the queue. */
export function listRetries({ db, clock }: Platform): Promise<Retries[]> {
  return selectRetries(db, timestamp(clock.now()), maxCounted);
}
