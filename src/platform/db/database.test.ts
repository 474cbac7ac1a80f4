import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { openDatabase } from './database.ts';

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
