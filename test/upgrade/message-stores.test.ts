import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrate, migrationFiles } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { emptyDatabase } from '../kit/process/database.ts';

const log = createLog('silent');
const name = '0050_without_message_stores.sql';
const before = migrationFiles().slice(0, migrationFiles().indexOf(name));

/** A database as release 0.3.0 may have left it. */
async function aDatabaseWith(rows: string): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await emptyDatabase();
  await migrate(url, log, { only: before, seeds: [] });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  await client.query(rows);
  return { url, client };
}

const mainStore = 'insert into message_stores values (0, true, now())';

it.each([
  ['another store', `${mainStore}, (1, false, now())`],
  ['the schema of another store', "insert into this_store values (2, 'a8f1a4f0-0a3b-4a3e-9d8f-5b1f4f0e7c11')"],
])('a database with %s is refused and keeps its schema', async (_, rows) => {
  const { url, client } = await aDatabaseWith(rows);
  await expect(migrate(url, log, { only: [...before, name], seeds: [] })).rejects.toThrow(
    'This release has no message stores. Move every service to the main database with Pennypost 0.3.0',
  );
  expect((await client.query("select to_regclass('held_places') as kept")).rows).toEqual([{ kept: 'held_places' }]);
});

it('a database whose stores are gone is migrated, and its configuration can be changed', async () => {
  const { url, client } = await aDatabaseWith(
    `${mainStore}; create trigger record_configuration_change after insert or update or delete on organisations
      for each row execute function record_configuration_change('id')`,
  );
  await migrate(url, log, { only: [...before, name], seeds: [] });
  await client.query("update organisations set name = 'Changed'");
  const { rows } = await client.query(
    "select tgname from pg_trigger where tgrelid = 'organisations'::regclass and tgname = 'record_configuration_change'",
  );
  expect(rows).toEqual([]);
  // The release before this one reads them while both run.
  for (const table of ['message_stores', 'service_stores', 'service_moves', 'moving_services'])
    expect((await client.query(`select * from ${table} where false`)).rows).toEqual([]);
});
