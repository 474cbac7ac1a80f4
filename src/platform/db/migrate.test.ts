import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../../test/kit/database.ts';
import { isTimeFaked } from '../../../test/kit/process-environment.ts';
import { createLog } from '../log.ts';
import { migrate, migrationFiles } from './migrate.ts';

const later = '0161_references_of_any_length.sql';
const log = createLog('silent');
let database: TestDatabase;
let clients: pg.Client[];

beforeEach(async () => {
  database = await emptyDatabase();
  await migrate(database.url, log, { only: migrationFiles().filter((name) => name !== later) });
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
    await long.query('begin; select * from notifications');
    const migrated = migrate(database.url, log);
    let slowest_ms = 0;
    for (let passed_ms = 0; passed_ms < 3_000; passed_ms += 50) {
      const started = performance.now();
      await user.query('select * from notifications');
      slowest_ms = Math.max(slowest_ms, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await long.query('commit');
    expect(await migrated).toEqual([later]);
    expect(slowest_ms).toBeLessThan(2_500);
  });

  it.skipIf(isTimeFaked)('explain what to do when a transaction never ends, and change nothing', async () => {
    await clients[0]?.query('begin; select * from notifications');
    await expect(migrate(database.url, log, { lockWaitSeconds: 0 })).rejects.toThrow(/could not lock a table/);
    await clients[0]?.query('commit');
    expect(await migrate(database.url, log)).toEqual([later]);
  });

  it('ignore the statement timeout of the role', async () => {
    await clients[0]?.query(`do $$ begin execute format('alter role %I in database %I set statement_timeout = ''1ms''',
      current_user, current_database()); end $$`);
    expect(await migrate(database.url, log)).toEqual([later]);
  });
});
