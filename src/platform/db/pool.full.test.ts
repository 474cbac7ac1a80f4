import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { actAs } from './actor.ts';
import { allowLongPauses, inTransaction, longPausesInTransactions, type Tx } from './database.ts';
import { isDatabaseUnavailable } from './errors.ts';
import { openDatabase, sessionSettings } from './pool.ts';

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

it('asks the server to end the session of a process that stands still or cannot be reached', async () => {
  const log = createLog('silent');
  const limit = 'idle_in_transaction_session_timeout';
  const settings = async (session?: string) => {
    const { db, pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log, session });
    const shown = async (name: string) => (await pool.query(`show ${name}`)).rows[0][name];
    const found = [await shown(limit), await inTransaction(db, longPauseOf), await shown(limit)];
    await close();
    return found;
  };
  const longPauseOf = async (tx: Tx) => {
    await allowLongPauses(tx);
    return (await sql<Record<string, string>>`show idle_in_transaction_session_timeout`.execute(tx)).rows[0]?.[limit];
  };
  expect(await settings()).toEqual(['10s', '1min', '10s']);
  expect(await settings(longPausesInTransactions)).toEqual(['1min', '1min', '1min']);
  const onTcp = /tcp_keepalives_idle=10 .*tcp_keepalives_interval=5 .*tcp_keepalives_count=3 .*tcp_user_timeout=15000/;
  expect(sessionSettings.options).toMatch(onTcp);
});

it('treats a transaction that the server ended as a lost connection', async () => {
  const session = '-c idle_in_transaction_session_timeout=100ms';
  const { db, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log: createLog('silent'), session });
  const late = await inTransaction(db, async (tx) => {
    await sql`create table never_stored ()`.execute(tx);
    await sleep(1_000);
    await sql`select 1`.execute(tx);
  }).catch((error) => error);
  expect(isDatabaseUnavailable(late)).toBe(true);
  const { rows } = await sql`select to_regclass('never_stored') as found`.execute(db);
  expect(rows).toEqual([{ found: null }]);
  // The error waits in the socket of a process that stood still, and arrives after its next statement.
  const held = await inTransaction(db, async (tx) => {
    await sql`select 1`.execute(tx);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await sql`select 1`.execute(tx);
  }).catch((error) => error);
  expect(isDatabaseUnavailable(held)).toBe(true);
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
  const script = fileURLToPath(new URL('../../../test/kit/process/old-objects.mjs', import.meta.url));
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
