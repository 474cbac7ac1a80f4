import { listLaneAges } from '../notifications/delivery-queue.ts';
import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';

const stuckAfter_s = 300;
const laneNames: Record<number, string> = { 0: 'priority', 1: 'normal', 2: 'bulk' };

/** Says so when messages wait for minutes: no worker runs, or none can keep up. */
export async function checkQueue(app: Pick<Platform, 'db' | 'clock' | 'log'>): Promise<void> {
  const now = app.clock.now();
  for (const { notification_type, lane, waiting, oldest_due_at } of await listLaneAges(app.db, timestamp(now))) {
    const age_s = oldest_due_at ? (now.getTime() - Date.parse(oldest_due_at)) / 1_000 : 0;
    if (age_s < stuckAfter_s) continue;
    app.log.warn({ notification_type, lane: laneNames[lane], waiting, age_s }, 'messages wait for too long');
  }
}
