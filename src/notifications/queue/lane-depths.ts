import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
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
/** Services per lane of which the oldest message is looked up. */
const maxServices = 1_000;

/**
 * The lanes with due messages. The cost does not grow with the queue: with more than 1,000 waiting services in a lane, the
 * oldest message is that of the first 1,000, which wait about as long as the others.
 */
export async function listLaneDepths({ db, clock }: Platform): Promise<LaneDepth[]> {
  const now = timestamp(clock.now());
  const depths: LaneDepth[] = [];
  for (const count of await selectLaneCounts(db, now, maxCounted)) {
    const after = { lane: count.lane, service_id: nilId };
    const services = await selectWaitingServices(db, count.notification_type, { after, limit: maxServices, now });
    const dues = services.flatMap(({ lane, oldest }) => (lane === count.lane && oldest ? [oldest] : []));
    const [oldest_due_at] = dues.sort();
    if (oldest_due_at !== undefined) depths.push({ ...count, oldest_due_at });
  }
  return depths;
}

/** Messages that wait for another attempt, for each channel. The cost does not grow with the queue. */
export function listRetries({ db, clock }: Platform): Promise<Retries[]> {
  return selectRetries(db, timestamp(clock.now()), maxCounted);
}
