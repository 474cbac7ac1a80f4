import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Failure, type FailureDetail, invalid, unavailable } from '../failure.ts';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';

/** Maps constraint names to failures. The constraint decides, so nothing is checked before writing. */
export type ConstraintMeanings = Record<string, () => Failure>;

/** Runs a write and turns a violation of a mapped constraint into its Failure. */
export async function withConstraints<T>(meanings: ConstraintMeanings, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const constraint = error instanceof pg.DatabaseError ? error.constraint : undefined;
    const meaning = constraint === undefined ? undefined : meanings[constraint];
    throw meaning === undefined ? error : meaning();
  }
}

/** Another transaction held a lock for longer than this one may wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Turns a database error into a Failure if the request or an outage caused it; undefined means a bug. */
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
  // Class 22: a value that PostgreSQL cannot store, such as text with a NUL or a number out of range.
  if (error.code?.startsWith('22')) return invalid('A value in the request cannot be stored');
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

const lostConnection = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The driver gives these errors no code. A test provokes each. */
export const lostConnectionMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Client network socket disconnected before secure TLS connection',
  'Cannot use a pool after',
];

/** The message of the driver. */
export const queryTimeout = 'Query read timeout';

export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === queryTimeout;
}

/** A write reached a standby, or a primary that became one. */
export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '25006';
}

/** Whether the server cannot be used: it does not respond, it is starting or shutting down, or it is read-only. */
export function isServerGone(error: unknown): boolean {
  // Node throws this for a host name with several addresses.
  if (error instanceof AggregateError) return error.errors.some(isServerGone);
  if (!(error instanceof Error)) return false;
  if (isReadOnlyServer(error) || isQueryTimeout(error)) return true;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    // 08: connection failures; 57P01-57P05: shutting down, crashed, starting up, an idle session was ended.
    if (/^(08...|57P0[1-5])$/.test(code)) return true;
    if (lostConnection.has(code) && (syscall === 'connect' || syscall === 'read' || syscall === 'write')) return true;
    if (code === 'EAI_AGAIN' || code === 'ENOTFOUND') return syscall === 'getaddrinfo';
  }
  return lostConnectionMessages.some((message) => error.message.startsWith(message));
}

/** Whether the server, not the statement, is at fault: a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isServerGone(error)) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // 53: out of disk, memory or connections; 58030: I/O error; 55000: not accepting connections; 25P03: the server ended a session
  // that stood still within a transaction.
  return typeof code === 'string' && /^(53...|58030|55000|25P03)$/.test(code);
}

/** For the operator who starts the program. */
export class DatabaseUnreachable extends OperatorError {
  constructor(cause: unknown) {
    super(
      `The database cannot be used: ${cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : cause}. ` +
        'Check DATABASE_URL, that PostgreSQL (15 or newer) is running, and that its user may connect.',
      { cause },
    );
  }
}

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
