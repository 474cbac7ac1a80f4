import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { actAs } from './actor.ts';
import { openDatabase } from './database.ts';
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
  const timeouts = { statementTimeout_ms: 1_000, responseTimeout_ms: 500 };
  const { db, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log, ...timeouts });
  const backend = async () => (await sql`select pg_backend_pid() as pid`.execute(db)).rows;
  const first = await backend();
  // Several statements may take longer than one, and so may the time without any.
  for (let count = 1; count <= 4; count += 1) await sql`select pg_sleep(0.4)`.execute(db);
  await sleep(1_800);
  expect(await backend()).toEqual(first);
  await sql`set statement_timeout = 0`.execute(db);
  const failure = await sql`select pg_sleep(6)`.execute(db).catch((error) => error);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await backend()).not.toEqual(first);
  await close();
});

it('reports each error once, whoever makes the change and however the statement is sent', async () => {
  const { pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log: createLog('silent') });
  const nobody = <T>(work: () => T) => work();
  const somebody = <T>(work: () => T) => actAs({ type: 'command', at: '2026-11-17T12:00:00.000000Z' }, work);
  for (const within of [nobody, somebody]) {
    for (const text of ['begin nothing', 'delete from nothing', 'select nothing']) {
      await within(() => expect(pool.query(text)).rejects.toThrow('nothing'));
      const client = await pool.connect();
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      await within(() => expect(query(text, [], undefined)).rejects.toThrow('nothing'));
      client.release();
    }
  }
  await close();
  // The query builder never used it.
  expect(pool.ended).toBe(true);
});

it('leaves no results among the old objects', async () => {
  const script = fileURLToPath(new URL('../../../test/kit/old-objects.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, inject('databaseUrl')]);
  const grown: Record<string, number> = JSON.parse(stdout);
  expect(Object.keys(grown)).toEqual(['through the pool', 'one statement', 'a transaction']);
  // Of 16 MB.
  for (const megabytes of Object.values(grown)) expect(megabytes).toBeLessThan(4);
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
