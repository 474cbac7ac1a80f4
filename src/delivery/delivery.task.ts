import type { Config } from '../config.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldCallbacks } from './callbacks/callback-history.ts';
import { deleteHealthBefore } from './failover/provider-health.sql.ts';
import { cleanSandbox } from './sandbox/sandbox.ts';

export async function cleanDelivery(app: Platform & { config: Config }): Promise<void> {
  await deleteOldCallbacks(app);
  await deleteHealthBefore(app.db, timestamp(earlier(app.clock.now(), day_ms)));
  await cleanSandbox(app);
}
