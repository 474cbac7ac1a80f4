import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { isDatabaseUnavailable } from './errors.ts';

const folder = new URL('../../../migrations/', import.meta.url);

// Any constant that is the same in every process and differs from our other advisory locks.
const migrationLock = 7_294_001;

/** While a migration waits for a lock, every other user of the table queues behind it: limit that to this time. */
const lockTimeout_ms = 1_000;
/** Pause between attempts to get the lock, in which queued statements run. */
const pause_ms = 5_000;

interface MigrateOptions {
  waitSeconds?: number;
  only?: string[];
  /** How long to retry the locks of one migration: as long as a backup may take. */
  lockWaitSeconds?: number;
}

/**
 * Applies missing migrations exactly once, even if many processes start together. Forward only; one transaction per
 * file.
 */
export async function migrate(url: string, log: Log, options: MigrateOptions = {}): Promise<string[]> {
  const client = await connectWithRetry(url, log, options.waitSeconds ?? 30);
  try {
    // The role's own timeout is meant for requests.
    await client.query('set statement_timeout = 0');
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(`set lock_timeout = ${lockTimeout_ms}`);
    await client.query(`create table if not exists schema_migrations (
      name text primary key,
      applied_at timestamptz not null
    )`);
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
    const applied = new Set(rows.map((row) => row.name));
    const wanted = migrationFiles().filter((name) => options.only?.includes(name) ?? true);
    const missing = wanted.filter((name) => !applied.has(name));
    for (const name of missing) {
      await applyWithRetry(client, name, log, options.lockWaitSeconds ?? 3_600);
      log.info({ migration: name }, 'migrated');
    }
    await migrateQueue(url, log);
    return missing;
  } finally {
    await client.end();
  }
}

export function migrationFiles(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

async function applyWithRetry(client: pg.Client, name: string, log: Log, lockWaitSeconds: number): Promise<void> {
  const deadline = performance.now() + lockWaitSeconds * 1_000;
  for (;;) {
    try {
      return await apply(client, name);
    } catch (error) {
      if (!(error instanceof LockNotAvailable) || performance.now() > deadline) throw error;
      log.warn({ migration: name }, 'a table is in use by a long transaction, such as a backup; retrying in 5 s');
      await sleep(pause_ms);
    }
  }
}

async function apply(client: pg.Client, name: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(readFileSync(new URL(name, folder), 'utf8'));
    await client.query('insert into schema_migrations (name, applied_at) values ($1, $2)', [name, systemClock.now()]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    // 40P01: a deadlock with live traffic, in which PostgreSQL chose the migration as the victim.
    if (error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? ''))
      throw new LockNotAvailable(name, error);
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

async function migrateQueue(url: string, log: Log): Promise<void> {
  const pgPool = new pg.Pool({ connectionString: url, max: 1, options: '-c statement_timeout=0' });
  const onError = (error: Error) => log.warn({ err: error }, 'the migration connection was lost');
  pgPool.on('error', onError);
  pgPool.on('connect', (client) => client.on('error', onError));
  const utils = await makeWorkerUtils({ pgPool });
  try {
    await utils.migrate();
  } finally {
    await utils.release();
    await pgPool.end();
  }
}

/** Waits for a database that is still starting, up to the limit; then throws an error that says what to check. */
async function connectWithRetry(url: string, log: Log, waitSeconds: number): Promise<pg.Client> {
  const deadline = Date.now() + waitSeconds * 1_000;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', (error) => log.warn({ err: error }, 'the migration connection was lost'));
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isDatabaseUnavailable(error) || Date.now() > deadline) {
        throw new DatabaseUnreachable(error);
      }
      if (attempt === 1) log.warn({ err: error }, `the database is not reachable yet, retrying for ${waitSeconds} s`);
      await sleep(Math.min(200 * attempt, 2_000));
    }
  }
}

class LockNotAvailable extends OperatorError {
  constructor(name: string, cause: unknown) {
    super(
      `Migration ${name} could not lock a table: a transaction keeps using it. End it (a backup, a report; see pg_stat_activity), then try again.`,
      { cause },
    );
  }
}

export class DatabaseUnreachable extends OperatorError {
  constructor(cause: unknown) {
    super(
      `The database cannot be used: ${cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : cause}. ` +
        'Check DATABASE_URL, that PostgreSQL (15 or newer) is running, and that its user may connect.',
      { cause },
    );
  }
}
