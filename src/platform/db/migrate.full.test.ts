import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../../test/kit/process/database.ts';
import { migrationsAnd } from '../../../test/kit/process/migrations-and.ts';
import { isTimeFaked } from '../../../test/kit/process/process-environment.ts';
import { createLog } from '../log.ts';
import { migrate } from './migrate.ts';
import type { Seed } from './seed.ts';

/** A migration that needs a lock on a table that is in use. */
const later = '9999_index_of_a_busy_table.sql';
const all = withMigration(later, 'create index notifications_created_at_idx on notifications (created_at);');

function withMigration(name: string, text: string) {
  return { seeds: [], folder: migrationsAnd(name, text) };
}

const log = createLog('silent');
let database: TestDatabase;
let clients: pg.Client[];

beforeEach(async () => {
  database = await emptyDatabase();
  await migrate(database.url, log, { seeds: [] });
  clients = await Promise.all([0, 1].map(() => connected()));
});

afterEach(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
}

describe('migrations', () => {
  it.skipIf(isTimeFaked)('wait for a long transaction without blocking other users of the table', async () => {
    const [long, user] = clients as [pg.Client, pg.Client];
    await long.query('begin; lock table notifications in row exclusive mode');
    const migrated = migrate(database.url, log, all);
    let slowest_ms = 0;
    for (let passed_ms = 0; passed_ms < 3_000; passed_ms += 50) {
      const started = performance.now();
      await user.query('delete from notifications');
      slowest_ms = Math.max(slowest_ms, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await long.query('commit');
    expect(await migrated).toEqual([later]);
    expect(slowest_ms).toBeLessThan(2_500);
  });

  it.skipIf(isTimeFaked)('explain what to do when a transaction never ends, and change nothing', async () => {
    await clients[0]?.query('begin; lock table notifications in row exclusive mode');
    await expect(migrate(database.url, log, { ...all, lockWaitSeconds: 0 })).rejects.toThrow(/could not lock a table/);
    await clients[0]?.query('commit');
    expect(await migrate(database.url, log, all)).toEqual([later]);
  });

  it('ignore the statement timeout of the role', async () => {
    // Long enough for the statement that lifts it, on a busy machine too.
    await clients[0]?.query(`do $$ begin execute format('alter role %I in database %I set statement_timeout = ''500ms''',
      current_user, current_database()); end $$`);
    const slow = '9999_slow.sql';
    expect(await migrate(database.url, log, withMigration(slow, 'select pg_sleep(0.7);'))).toEqual([slow]);
  });

  it.each([
    ['with another baseline', '0001_changes.sql'],
    ['whose migrations the baseline replaced', '0006_api_keys.sql'],
  ])('reject a database %s, and change nothing', async (_, name) => {
    const old = await emptyDatabase();
    const client = new pg.Client({ connectionString: old.url });
    await client.connect();
    await client.query('create table schema_migrations (name text primary key, applied_at timestamptz not null)');
    await client.query(`insert into schema_migrations values ('0001_platform.sql', '2026-01-01'), ($1, '2026-01-01')`, [
      name,
    ]);
    await expect(migrate(old.url, log, all)).rejects.toThrow(
      /^This database was created by a version of Pennypost before 1\.0\.0, which cannot be upgraded: start .* empty database/,
    );
    const { rows } = await client.query(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([{ relname: 'schema_migrations' }]);
    await client.end();
    await old.drop();
  });

  it('accept a database that a newer release has migrated', async () => {
    expect(await migrate(database.url, log, all)).toEqual([later]);
    expect(await migrate(database.url, log, { seeds: [] })).toEqual([]);
  });
});

describe('seeds', () => {
  const clock = { now: () => new Date('2031-05-06T07:08:09Z') };

  it('run one process at a time, after the migrations, with the clock of the caller', async () => {
    const events: string[] = [];
    const seed =
      (name: string): Seed =>
      async (tx, now) => {
        events.push(`${name} begins`);
        await sql`select pg_sleep(0.2), notifications_created_at_idx from (select 'notifications_created_at_idx'::regclass) as
          migrated (notifications_created_at_idx)`.execute(tx);
        events.push(`${name} ends ${now.toISOString()}`);
      };
    const both = ['one', 'two'].map((name) => migrate(database.url, log, { ...all, clock, seeds: [seed(name)] }));
    expect((await Promise.all(both)).flat()).toEqual([later]);
    const [first = ''] = events;
    const order = first.startsWith('one') ? ['one', 'two'] : ['two', 'one'];
    expect(events).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends 2031-05-06T07:08:09.000Z`]));
  });

  it('are stored all together or not at all', async () => {
    const seeds: Seed[] = [
      (tx) =>
        sql`insert into task_runs (task, watched_since) values ('seeded', '2000-01-01')`.execute(tx).then(() => {}),
      () => Promise.reject(new Error('The second seed failed')),
    ];
    await expect(migrate(database.url, log, { ...all, seeds })).rejects.toThrow('The second seed failed');
    expect((await clients[0]?.query('select 1 from task_runs'))?.rowCount).toBe(0);
  });
});
