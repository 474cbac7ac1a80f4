import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { isDatabaseUnavailable } from './errors.ts';

/** Deadlock or serialization failure: the losing transaction can simply be retried. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** For writes without a waiting client. Conflicts are retried immediately, a few times. */
export async function retryOnConflict<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isCollision(error) || attempt === 5) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/**
 * For writes that must not be lost: retries until the database is available, or until `givenUp` returns true on
 * shutdown.
 */
export async function retryUntilAvailable<T>(log: Log, givenUp: () => boolean, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnConflict(write);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || givenUp()) throw error;
      if (attempt === 1)
        log.warn(
          { event: 'database.unavailable', err: error },
          'The database is unavailable; retrying the write until it is back',
        );
      await sleep(Math.min(50 * 2 ** attempt, 1_000));
    }
  }
}
