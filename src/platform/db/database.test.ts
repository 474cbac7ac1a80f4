import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { inTransaction, openDatabase } from './database.ts';
import { isDatabaseUnavailable } from './errors.ts';

it('logs a warning for a lost idle connection, unless the pool is closing', async () => {
  const logged: string[] = [];
  const log = createLog('debug', { write: (line) => void logged.push(line) });
  const { db, pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 2, log });
  const client = await pool.connect();
  client.release();
  await sql`select 1`.execute(db);
  pool.emit('error', new Error('the server restarts'), client);
  expect(logged).toEqual([expect.stringContaining('An idle database connection was lost')]);
  await close();
  pool.emit('error', new Error('the server has gone'), client);
  expect(logged).toHaveLength(1);
});

it('does not reuse a connection that does not respond', async () => {
  const log = createLog('silent');
  const timeouts = { statementTimeout_ms: 300, responseTimeout_ms: 200 };
  const { db, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log, ...timeouts });
  const backend = async () => (await sql`select pg_backend_pid() as pid`.execute(db)).rows;
  const first = await backend();
  // Several statements may take longer than one, and so may the time without any.
  for (let count = 1; count <= 4; count += 1) await sql`select pg_sleep(0.2)`.execute(db);
  await sleep(800);
  expect(await backend()).toEqual(first);
  await sql`set statement_timeout = 0`.execute(db);
  const failure = await sql`select pg_sleep(3)`.execute(db).catch((error) => error);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await backend()).not.toEqual(first);
  await close();
});

it('leaves no results among the old objects', async () => {
  const log = createLog('silent');
  const { db, pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const collectYoung = () => collect({ type: 'minor' });
  const oldBytes = () =>
    getHeapSpaceStatistics()
      .filter(({ space_name }) => ['old_space', 'large_object_space'].includes(space_name))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
  const large = sql`select repeat('x', 80000) as text`;
  const ways = {
    'through the pool': () => pool.query("select repeat('x', 80000) as text"),
    'one statement': () => large.execute(db),
    'a transaction': () => inTransaction(db, (tx) => large.execute(tx)),
  };
  const grown: Record<string, number> = {};
  for (const [way, query] of Object.entries(ways)) {
    await query();
    collect();
    const before = oldBytes();
    for (let count = 1; count <= 200; count += 1) {
      await query();
      if (count % 20 === 0) collectYoung();
    }
    collectYoung();
    grown[way] = Math.max(0, Math.floor((oldBytes() - before) / 4_000_000));
  }
  // Of 16 MB.
  expect(grown).toEqual({ 'through the pool': 0, 'one statement': 0, 'a transaction': 0 });
  await close();
});

it('prepares a named statement once per connection, and only with session connections', async () => {
  const log = createLog('silent');
  const prepared = async (prepares: boolean) => {
    const { db, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log, prepares });
    for (const number of [1, 2]) {
      const { rows } = await sql`/* prepared: doubled */ select ${number}::int * 2 as twice`.execute(db);
      expect(rows).toEqual([{ twice: number * 2 }]);
    }
    await sql`select ${1}::int`.execute(db);
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db);
    await close();
    return rows.map(({ name }) => name);
  };
  expect(await prepared(true)).toEqual(['doubled']);
  expect(await prepared(false)).toEqual([]);
});
