import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Platform } from '../platform/platform.ts';

/** One statement for all who ask at the same time: anyone may, any number of times. */
export function sharedDatabaseCheck(app: Pick<Platform, 'db' | 'log'>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  return () => {
    running ??= databaseAnswers(app).finally(() => {
      running = undefined;
    });
    return running;
  };
}

export async function databaseAnswers(app: Pick<Platform, 'db' | 'log'>, patience_ms = 3_000): Promise<boolean> {
  try {
    // A server that is stopped in its tracks answers nothing at all: that must not hang whoever asks about it.
    await Promise.race([sql`select 1`.execute(app.db), tooLate(patience_ms)]);
    return true;
  } catch (error) {
    app.log.warn({ err: error }, 'the database did not answer the status check');
    return false;
  }
}

async function tooLate(patience_ms: number): Promise<never> {
  await sleep(patience_ms, undefined, { ref: false });
  throw new Error(`no answer within ${patience_ms} ms`);
}
