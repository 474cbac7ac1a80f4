import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { isDatabaseUnavailable } from './errors.ts';

/** Two transactions in each other’s way: the one that lost may simply try again. */
function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** For writes that nobody waits for with a connection open. Collisions are tried again at once, a few times. */
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

/** For what must not be forgotten: waits out a database that is away, until `givenUp` says that the process ends. */
export async function retryUntilAvailable<T>(log: Log, givenUp: () => boolean, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnConflict(write);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || givenUp()) throw error;
      if (attempt === 1) log.warn({ err: error }, 'the database is away; what is to be recorded waits for it');
      await sleep(Math.min(50 * 2 ** attempt, 1_000));
    }
  }
}
