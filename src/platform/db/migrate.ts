import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils } from 'graphile-worker';
import { sql } from 'kysely';
import pg from 'pg';
import { type Country, createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import { Languages } from '../../language/languages.ts';
import { type Clock, systemClock } from '../clock.ts';
import { OperatorError } from '../failure.ts';
import type { Log } from '../log.ts';
import { type Db, inTransaction } from './database.ts';
import { DatabaseClient } from './database-client.ts';
import { DatabaseUnreachable, isDatabaseUnavailable } from './errors.ts';
import { openDatabase } from './pool.ts';
import type { Seed } from './seed.ts';

const ownFolder = new URL('../../../migrations/', import.meta.url);

// Any constant that is the same in every process and differs from our other advisory locks.
const migrationLock = 7_294_001;

/** While a migration waits for a lock, every other user of the table queues behind it. This limits that time. */
const lockTimeout_ms = 1_000;
/** Pause between attempts to get the lock, so that queued statements can run. */
const pause_ms = 5_000;

interface MigrateOptions {
  /** Applied after the migrations. The product's own are in `src/seeds.ts`. */
  seeds: readonly Seed[];
  /** The country of the seeded rows. A function is called before anything is written, and may throw. */
  country?: Country | ((db: Db) => Promise<Country>);
  /** The languages of seeded texts for people; only English by default. */
  languages?: Languages | undefined;
  clock?: Clock;
  /** How long to wait until the database is reachable. */
  wait_ms?: number;
  only?: string[];
  /** Replaces the product's own migrations. */
  folder?: URL;
  /** How long one migration retries to get its locks: as long as a backup may take. */
  lockWaitSeconds?: number;
}

/**
 * Applies missing migrations exactly once, even if many processes start together, and then the seeds. Forward only; one
 * transaction per file, and one for all seeds.
 */
export async function migrate(url: string, log: Log, options: MigrateOptions): Promise<string[]> {
  const { folder = ownFolder, clock = systemClock, languages = new Languages([]) } = options;
  const client = await connectWithRetry(url, log, options.wait_ms ?? 30_000);
  try {
    // The timeout of the role is meant for requests.
    await client.query('set statement_timeout = 0');
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(`set lock_timeout = ${lockTimeout_ms}`);
    const applied = await appliedMigrations(client);
    if (hasOlderSchema(applied)) throw new DatabaseTooOld();
    const country = await chooseCountry(url, log, options.country);
    await client.query(`create table if not exists schema_migrations (
      name text primary key,
      applied_at timestamptz not null
    )`);
    const wanted = migrationFiles(folder).filter((name) => options.only?.includes(name) ?? true);
    const missing = wanted.filter((name) => !applied.has(name));
    for (const name of missing) {
      await applyWithRetry(client, { name, folder, clock }, log, options.lockWaitSeconds ?? 3_600);
      log.info({ event: 'migration.applied', migration: name }, 'A migration was applied');
    }
    await migrateQueue(url, log);
    if (options.seeds.length > 0) await applySeeds(url, log, options.seeds, { clock, country, languages });
    return missing;
  } finally {
    await client.end();
  }
}

export function migrationFiles(folder = ownFolder): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

/** Returns the migrations of this release that a database lacks. */
export async function missingMigrations(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ kept: boolean }>`
    select to_regclass('schema_migrations') is not null as kept`.execute(db);
  if (!found[0]?.kept) return migrationFiles();
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return migrationFiles().filter((name) => !applied.has(name));
}

/**
 * Whether these migrations are of a version before 1.0.0, whose files the baseline replaced. A newer release may have added files that we do
 * not have either, but only after ours.
 */
export function hasOlderSchema(migrations: Iterable<string>): boolean {
  const ours = migrationFiles();
  const last = ours.at(-1) ?? '';
  return [...migrations].some((name) => name < last && !ours.includes(name));
}

async function appliedMigrations(client: pg.Client): Promise<Set<string>> {
  const { rows: found } = await client.query<{ kept: boolean }>(
    "select to_regclass('schema_migrations') is not null as kept",
  );
  if (!found[0]?.kept) return new Set();
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
  return new Set(rows.map(({ name }) => name));
}

interface Migration {
  name: string;
  folder: URL;
  clock: Clock;
}

async function applyWithRetry(
  client: pg.Client,
  migration: Migration,
  log: Log,
  lockWaitSeconds: number,
): Promise<void> {
  const deadline = performance.now() + lockWaitSeconds * 1_000;
  for (;;) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (!(error instanceof LockNotAvailable) || performance.now() > deadline) throw error;
      log.warn(
        { event: 'migration.blocked', migration: migration.name },
        'A table is in use by a long transaction, such as a backup; retrying in 5 s',
      );
      await sleep(pause_ms);
    }
  }
}

async function apply(client: pg.Client, { name, folder, clock }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(readFileSync(new URL(name, folder), 'utf8'));
    await client.query('insert into schema_migrations (name, applied_at) values ($1, $2)', [name, clock.now()]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    // 40P01: a deadlock with live traffic, in which PostgreSQL chose the migration as the victim.
    if (error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? ''))
      throw new LockNotAvailable(name, error);
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

async function chooseCountry(url: string, log: Log, chosen: MigrateOptions['country']): Promise<Country> {
  if (typeof chosen !== 'function') return chosen ?? createCountry(gb);
  return withDb(url, log, chosen);
}

/** The caller must hold the migration lock. */
async function applySeeds(
  url: string,
  log: Log,
  seeds: readonly Seed[],
  { clock, country, languages }: { clock: Clock; country: Country; languages: Languages },
): Promise<void> {
  await withDb(url, log, (db) =>
    inTransaction(db, async (tx) => {
      for (const seed of seeds) await seed(tx, clock.now(), country, languages);
    }),
  );
}

/** Provides a connection with the session settings of the application. */
async function withDb<T>(url: string, log: Log, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  try {
    return await work(db);
  } finally {
    await close();
  }
}

async function migrateQueue(url: string, log: Log): Promise<void> {
  const pgPool = new pg.Pool({
    connectionString: url,
    max: 1,
    options: '-c statement_timeout=0',
    Client: DatabaseClient,
  });
  const onError = (error: Error) =>
    log.warn({ event: 'migration.connection_lost', err: error }, 'The migration connection was lost');
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
async function connectWithRetry(url: string, log: Log, wait_ms: number): Promise<pg.Client> {
  const deadline = Date.now() + wait_ms;
  for (let attempt = 1; ; attempt += 1) {
    const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', (error) =>
      log.warn({ event: 'migration.connection_lost', err: error }, 'The migration connection was lost'),
    );
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isDatabaseUnavailable(error) || Date.now() >= deadline) {
        throw new DatabaseUnreachable(error);
      }
      if (attempt === 1)
        log.warn(
          { event: 'database.unreachable', err: error },
          `The database is not reachable yet, retrying for ${wait_ms / 1_000} s`,
        );
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

class DatabaseTooOld extends OperatorError {
  constructor() {
    super(
      'This database was created by a version of Pennypost before 1.0.0, which cannot be upgraded: start this version with an empty ' +
        'database (another DATABASE_URL, or another DATA_DIR for the embedded one). Nothing was changed.',
    );
  }
}
