import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { FakeClock } from './fake-clock.ts';

/**
 * SQL uses the clock of the harness, too. The queue library compares due times with the database's `now()`; in test
 * databases that name resolves to our function, so application and database always agree on the time. Until a harness
 * connects its clock, it returns the real time.
 */
export const searchPath = 'public, test_clock, pg_catalog';

export async function installTestClock(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create schema test_clock;
      create table test_clock.source (file text not null);
      create function test_clock.now() returns timestamptz stable language sql as
        'select coalesce((select pg_read_file(file)::timestamptz from test_clock.source), pg_catalog.now())'`);
  } finally {
    await client.end();
  }
}

/**
 * Writes the time to a file that the database reads: setting the clock is synchronous, and so must this be. In memory, because
 * to replace a file on disk takes longer than most requests.
 */
export async function connectClock(clock: FakeClock, pool: pg.Pool): Promise<() => void> {
  const file = join(inject('folder'), `clock-${randomUUID()}`);
  clock.onChange = (moment) => {
    writeFileSync(`${file}.new`, moment.toISOString());
    renameSync(`${file}.new`, file);
  };
  clock.onChange(clock.now());
  await pool.query('insert into test_clock.source values ($1)', [file]);
  return () => rmSync(file, { force: true });
}
