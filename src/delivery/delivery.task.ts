import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { StorageSettings } from '../platform/settings.ts';
import { deleteOldCallbacks } from './callbacks/callback-history.ts';
import { deleteHealthBefore } from './failover/provider-health.sql.ts';
import { deletePartsBefore } from './receipts/receipts.sql.ts';
import { cleanSandbox } from './sandbox/sandbox.ts';

/** Longer than any message waits for receipts. */
const partsRetention_ms = 7 * day_ms;

export async function cleanDelivery(app: Platform & { config: { storage: StorageSettings } }): Promise<void> {
  await deleteOldCallbacks(app);
  await deleteHealthBefore(app.db, timestamp(earlier(app.clock.now(), day_ms)));
  await deletePartsBefore(app.db, timestamp(earlier(app.clock.now(), partsRetention_ms)));
  await cleanSandbox(app);
}
