import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { forApi, t } from '../../language/text.ts';
import { conflict, type Failure, type FailureDetail, invalid, OperatorError, unavailable } from '../failure.ts';
import type { Log } from '../log.ts';
import { isServerGone } from './server-gone.ts';

/** For values that PostgreSQL cannot store, such as text with a NUL. */
export const unstorable = forApi(
  'A value in the request cannot be stored',
  t('The form has a character that cannot be stored. Type the text again.'),
);

/** Maps constraint names to failures. The constraint decides, so nothing is checked before writing. */
export type ConstraintMeanings = Record<string, () => Failure>;

/** For a transaction that lost a deadlock. */
const collided = forApi(
  'Another change was made to the same data at the same time, try again',
  t('Another change was made to the same data at the same time. Try again.'),
);

/** Runs a write and converts a violation of a mapped constraint into its Failure. */
export async function withConstraints<T>(meanings: ConstraintMeanings, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const constraint = error instanceof pg.DatabaseError ? error.constraint : undefined;
    const meaning = constraint === undefined ? undefined : meanings[constraint];
    throw meaning === undefined ? error : meaning();
  }
}

/** Whether another transaction held a lock for longer than this one may wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Converts a database error into a Failure if the request or an outage caused it; undefined means a bug. */
export function failureOfDatabaseError(error: unknown): Failure | undefined {
  if (isDatabaseUnavailable(error)) {
    return unavailable(
      isOutOfResources(error)
        ? 'The database has no room for this, try again shortly'
        : 'The database cannot be reached, try again shortly',
      error,
    );
  }
  if (!(error instanceof pg.DatabaseError)) return undefined;
  if (error.code === '57014') return unavailable('The database took too long, try again shortly', error);
  if (isLockTimeout(error))
    return unavailable('Other changes to the same data take too long, try again shortly', error);
  if (isCollision(error)) return conflict(collided);
  // Class 22: a value that PostgreSQL cannot store, such as text with a NUL or a number out of range.
  if (error.code?.startsWith('22')) return invalid(unstorable);
  if (error.code === '23503') return invalid(missingReference(error));
  return undefined;
}

function missingReference(error: pg.DatabaseError): FailureDetail {
  const column = /^Key \((\w+)\)=/.exec(error.detail ?? '')?.[1];
  return column ? { [column]: ['No result found'] } : 'An id in the request does not exist';
}

function isOutOfResources(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(531|532|534|580)/.test(error.code ?? '');
}

/** Whether the server, not the statement, is at fault: a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isServerGone(error)) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // 53: out of disk, memory or connections; 58030: I/O error; 55000: not accepting connections; 25P03: the server ended a session that was
  // idle in a transaction.
  return typeof code === 'string' && /^(53...|58030|55000|25P03)$/.test(code);
}

/** Shown to the operator who starts the program. */
export class DatabaseUnreachable extends OperatorError {
  constructor(cause: unknown) {
    super(
      `The database cannot be used: ${cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : cause}. ` +
        'Check DATABASE_URL, that PostgreSQL (15 or newer) is running, and that its user may connect.',
      { cause },
    );
  }
}

/** Whether the transaction lost a deadlock or failed to serialise: it can simply be retried. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** For writes without a waiting client. Retries conflicts immediately, a few times. */
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
