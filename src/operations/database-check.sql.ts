import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Platform } from '../platform/platform.ts';

/** Concurrent callers share one query: the endpoint is public. */
export function sharedDatabaseCheck(app: Platform): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  return () => {
    running ??= isDatabaseAvailable(app).finally(() => {
      running = undefined;
    });
    return running;
  };
}

export async function isDatabaseAvailable(app: Platform, timeout_ms = 3_000): Promise<boolean> {
  try {
    // A hung server never responds, and must not hang the status check.
    await Promise.race([sql`select 1`.execute(app.db), tooLate(timeout_ms)]);
    return true;
  } catch (error) {
    app.log.warn({ event: 'database.check_failed', err: error }, 'The database did not respond to the status check');
    return false;
  }
}

async function tooLate(timeout_ms: number): Promise<never> {
  await sleep(timeout_ms, undefined, { ref: false });
  throw new Error(`no response within ${timeout_ms} ms`);
}
