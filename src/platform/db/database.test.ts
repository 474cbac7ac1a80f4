import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { openDatabase } from './database.ts';
import { isDatabaseUnavailable } from './errors.ts';

it('an idle connection that is lost is worth a warning, unless all are being closed', async () => {
  const logged: string[] = [];
  const log = createLog('debug', { write: (line) => void logged.push(line) });
  const { db, pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 2, log });
  const client = await pool.connect();
  client.release();
  await sql`select 1`.execute(db);
  pool.emit('error', new Error('the server restarts'), client);
  expect(logged).toEqual([expect.stringContaining('an idle database connection was lost')]);
  await close();
  pool.emit('error', new Error('the server has gone'), client);
  expect(logged).toHaveLength(1);
});

it('a connection that does not answer is not given to the next query', async () => {
  const log = createLog('silent');
  const { db, pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log });
  pool.options.query_timeout = 500;
  const failure = await sql`select pg_sleep(3)`.execute(db).catch((error) => error);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await close();
});
