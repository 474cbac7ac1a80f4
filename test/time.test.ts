import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from './kit/harness.ts';
import { cloneDatabase, type TestDatabase } from './kit/process/database.ts';

/** The clock of the application is the only source of time, so no result depends on the day a test runs. */

const root = fileURLToPath(new URL('..', import.meta.url));

const sqlClock =
  /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|uuidv7)\(|\b(current_(timestamp|date|time)|localtime(stamp)?)\b|'(now|today|tomorrow|yesterday)'::/i;

/** Files that may read the clock of the database, and why. */
const readsDatabaseClock = {
  'src/platform/clock.ts': 'declares now() of the application',
  'src/platform/db/lease.ts': 'workers whose clocks differ share leases',
  'src/notifications/queue/leases.shared.sql.ts': 'compares the ends of leases',
  'src/delivery/callbacks/service-callbacks.sql.ts': 'compares the ends of leases',
  'src/plans/plan-leases.shared.sql.ts': 'compares the ends of leases',
  'src/delivery/failover/provider-slots.sql.ts': 'workers whose clocks differ share the rate of a provider',
  'src/platform/queue/worker.ts': 'the queue library locks and unlocks by the clock of the database',
  'src/operations/doctor/doctor.sql.ts': 'compares the clock of the database with our own',
  'src/operations/overview/overview.sql.ts': 'heartbeats are written by the clock of the database',
};

/** Files that may read the clock of the machine, and why. */
const readsMachineClock = {
  'src/platform/clock.ts': 'is the clock of the application',
  'src/platform/log.ts': 'a log line is written at the time of the machine',
  'src/libraries/embedded-postgres/ownership.ts': 'waits for another process',
  'src/libraries/embedded-postgres/server.ts': 'waits for the server',
  'src/platform/db/migrate.ts': 'waits for the server',
  'src/operations/doctor/database.ts': 'compares the clock of the database with our own',
};

function filesThatMatch(pattern: RegExp, folders: string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.(ts|sql)$/.test(path) && !path.endsWith('.test.ts'))
    .filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))
    .sort();
}

/** Files that skip rows which another worker has locked, but lease none: the row stays locked until the work is committed. */
const holdsLocks = [
  'src/delivery/sandbox/sandbox.sql.ts',
  'src/delivery/sweeps.sql.ts',
  'src/notifications/plan-steps.shared.sql.ts',
  'src/notifications/rollups/rollups.sql.ts',
  'src/notifications/status-change.shared.sql.ts',
  'src/services/inbound-numbers/inbound-numbers.sql.ts',
];

describe('the source', () => {
  it('reads no clock in SQL, except in listed files', () => {
    expect(filesThatMatch(sqlClock, ['src', 'migrations'])).toEqual(Object.keys(readsDatabaseClock).sort());
  });

  it('leases by the clock of the database', () => {
    const leases = filesThatMatch(/skip locked|\.skipLocked\(/, ['src']).filter((path) => !holdsLocks.includes(path));
    expect(leases).toContain('src/delivery/callbacks/service-callbacks.sql.ts');
    const isByDatabase = (path: string) => /\bleaseEnd\(/.test(readFileSync(join(root, path), 'utf8'));
    expect(leases.filter((path) => !isByDatabase(path))).toEqual([]);
    const ownTime =
      /leased_until( is null)?\s*[<>](?!=? \$\{leaseEnd)|[<>]=?\s*\w*\.?leased_until|leased_until = \$\{(?!lease)/;
    expect(filesThatMatch(ownTime, ['src'])).toEqual([]);
  });

  it('reads the clock of the machine in listed files only', () => {
    expect(filesThatMatch(/new Date\(\)|\bDate\.now\(/, ['src'])).toEqual(Object.keys(readsMachineClock).sort());
  });
});

describe('the schema', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('is on a server with the same time as this process', async () => {
    const { rows } = await client.query('select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms');
    expect(Math.abs(rows[0].now_ms - Date.now())).toBeLessThan(10_000);
  });

  it('has no default, function, check or view that reads a clock', async () => {
    const { rows } = await client.query<{ name: string; text: string }>(`
      select attrelid::regclass || '.' || attname as name, pg_get_expr(adbin, adrelid) as text
      from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
        join pg_class on pg_class.oid = adrelid
      where relnamespace = 'public'::regnamespace
      union all select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
      union all select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
      union all select viewname, definition from pg_views where schemaname = 'public'`);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ text }) => sqlClock.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it('is seeded with rows that do not depend on the time', async () => {
    const { rows: columns } = await client.query<{ table_name: string; column_name: string }>(`
      select table_name, column_name from information_schema.columns join information_schema.tables using (table_name)
      where columns.table_schema = 'public' and table_type = 'BASE TABLE' and data_type like 'timestamp%'
        and table_name <> 'schema_migrations'`);
    expect(columns.length).toBeGreaterThan(50);
    const stamped: string[] = [];
    for (const { table_name, column_name } of columns) {
      const { rows } = await client.query(
        `select 1 from "${table_name}" where abs(extract(epoch from "${column_name}" - pg_catalog.now())) < 86400 limit 1`,
      );
      if (rows.length > 0) stamped.push(`${table_name}.${column_name}`);
    }
    expect(stamped).toEqual([]);
  });
});

describe.each(['1999-12-31T23:59:59Z', '2046-06-01T00:00:00Z'])('a harness at %s', (now) => {
  const harness = useHarness({ now });

  it('shares its clock with the database', async () => {
    const moment = await harness.app.pool.query('select now()');
    expect(new Date(moment.rows[0].now).toISOString()).toBe(new Date(now).toISOString());
  });

  it('runs tasks that are due by its clock, and no others', async () => {
    const at = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000);
    await harness.addTask('delete-invites', { runAt: at(0) });
    await harness.addTask('delete-verify-codes', { runAt: at(60) });
    const waiting = async () =>
      (await harness.app.pool.query('select task_identifier from graphile_worker.jobs order by id')).rows.map(
        (row) => row.task_identifier,
      );
    await harness.runTasks();
    expect(await waiting()).toEqual(['delete-verify-codes']);
    harness.clock.advance({ seconds: 60 });
    await harness.runTasks();
    expect(await waiting()).toEqual([]);
  });
});
