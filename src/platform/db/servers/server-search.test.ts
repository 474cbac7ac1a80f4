import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { DatabaseProxy, message } from '../../../../test/kit/process/database-proxy.ts';
import { createLog } from '../../log.ts';
import { inTransaction } from '../database.ts';
import { failureOfDatabaseError, isDatabaseUnavailable } from '../errors.ts';
import { openDatabase } from '../pool.ts';
import { primaryOf, startOfServer } from './server-search.ts';

let one: DatabaseProxy;
let other: DatabaseProxy;

beforeAll(async () => {
  [one, other] = await Promise.all([aProxy(), aProxy()]);
});
afterAll(() => Promise.all([one.close(), other.close()]));

function aProxy(): Promise<DatabaseProxy> {
  return DatabaseProxy.start(inject('databaseUrl'));
}

function open(url: string) {
  const database = openDatabase({ url, poolSize: 4, log: createLog('silent') });
  onTestFinished(() => database.close());
  return database;
}

/** Both hosts, with a name that makes the URL, and so its primary, one of this test alone. */
function urlOfBoth(name: string): string {
  const [before, after] = one.url.split(`:${one.port}`);
  return `${before}:${one.port},127.0.0.1:${other.port}${after}&target_session_attrs=read-write&application_name=${name}`;
}

const isWritable = "select current_setting('transaction_read_only') as read_only";

it('finds the host that accepts writes, and the other one when they change places', async () => {
  one.readOnly = true;
  const { pool } = open(urlOfBoth('swap'));
  const writable = async () => (await pool.query(isWritable)).rows[0].read_only === 'off';
  expect(await Promise.all([writable(), writable(), writable()])).toEqual([true, true, true]);
  expect({ one: one.open, other: other.open }).toEqual({ one: 0, other: 3 });

  one.readOnly = false;
  other.refuse();
  await expect.poll(() => writable().catch(() => false), { interval: 20 }).toBe(true);
  expect(one.open).toBeGreaterThan(0);
  other.accept();
});

it('closes every connection to a host that does not respond, also in the middle of a statement', async () => {
  const url = urlOfBoth('silence');
  other.readOnly = true;
  const { pool, db } = open(url);
  await pool.query('select 1');
  one.silent = true;
  const waiting = [
    pool.query('select 2'),
    inTransaction(db, (tx) => sql`select 3`.execute(tx)),
    sql`select 4`.execute(db),
  ].map((each) => each.catch((error: unknown) => error));
  other.readOnly = false;
  expect(await primaryOf(url).check()).toBeGreaterThan(0);
  expect((await Promise.all(waiting)).map((error) => failureOfDatabaseError(error)?.kind)).toEqual(
    waiting.map(() => 'unavailable'),
  );
  expect((await pool.query(isWritable)).rows).toEqual([{ read_only: 'off' }]);
  expect(other.open).toBeGreaterThan(0);
  one.silent = false;
});

it('does not hand out a connection that breaks with the response to its login', async () => {
  const proxy = await aProxy();
  onTestFinished(() => proxy.close());
  proxy.breaksAfterLogin = true;
  const { pool } = open(proxy.url);
  const errors = await Promise.all(
    [pool.connect(), pool.query('select 1')].map((each) => each.catch((error) => error)),
  );
  expect(errors.map(({ code }) => code)).toEqual(['57P01', '57P01']);
  expect(pool.totalCount).toBe(0);
  proxy.breaksAfterLogin = false;
  expect((await pool.query(isWritable)).rows).toEqual([{ read_only: 'off' }]);
});

it('says of each host why it is not the primary, and is available again when one is', async () => {
  one.readOnly = true;
  other.refuse();
  const { pool } = open(urlOfBoth('none'));
  const refused = await pool.query('select 1').catch((error: unknown) => error);
  expect(isDatabaseUnavailable(refused)).toBe(true);
  expect(String(refused)).toMatch(
    /no server accepts writes: 127.0.0.1:.* (is a standby|does not answer \(.*\)), 127.0.0.1:/,
  );
  other.accept();
  await expect
    .poll(
      () =>
        pool.query('select 1').then(
          () => true,
          () => false,
        ),
      { interval: 100 },
    )
    .toBe(true);
  one.readOnly = false;
});

it('keeps the connections to a host that has none to spare', async () => {
  const superuser = open(one.url).pool;
  await superuser.query('create role limited login connection limit 1');
  const url = one.url.replace(/\/\/\w+@/, '//limited@');
  const { pool, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
  onTestFinished(async () => {
    await close();
    await superuser.query('drop role limited');
  });
  const session = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid;
  const before = await session();
  expect(await primaryOf(url).check()).toBe(0);
  expect(await session()).toBe(before);
});

it('closes connections to another server than the one that the address leads to now, once', async () => {
  const url = `${one.url}&application_name=moved`;
  const { pool } = open(url);
  await pool.query('select 1');
  expect(await primaryOf(url).check('1234567890.5')).toBe(1);
  await expect.poll(() => pool.totalCount).toBe(0);
  const { rows } = await pool.query(`select ${startOfServer} as now`);
  expect(await primaryOf(url).check('1234567890.5')).toBe(0);
  expect(await primaryOf(url).check(rows[0].now)).toBe(0);
});

it('replaces a connection whose server became read-only, with a single host too', async () => {
  const proxy = await aProxy();
  onTestFinished(() => proxy.close());
  const { pool, db } = open(proxy.url);
  for (const write of [
    () => pool.query('create table never (n int)'),
    () => sql`create table never (n int)`.execute(db),
    () => inTransaction(db, (tx) => sql`create table never (n int)`.execute(tx)),
  ]) {
    await pool.query('set default_transaction_read_only = on');
    const failure = failureOfDatabaseError(await write().catch((error: unknown) => error));
    expect(failure?.kind).toBe('unavailable');
    expect((await pool.query(isWritable)).rows).toEqual([{ read_only: 'off' }]);
  }
  proxy.readOnly = true;
  proxy.refuse();
  proxy.accept();
  const refused = await pool.query('select 1').catch((error: unknown) => error);
  expect(failureOfDatabaseError(refused)?.kind).toBe('unavailable');
  proxy.readOnly = false;
  expect((await pool.query(isWritable)).rows).toEqual([{ read_only: 'off' }]);
});

it('does not take a commit for stored that no longer waits for the standby', async () => {
  const proxy = await aProxy();
  onTestFinished(() => proxy.close());
  const { pool } = open(proxy.url);
  await pool.query('select 1');
  const waiting = pool.query('select pg_sleep(0.2)').catch((error: unknown) => error);
  // In one piece: a warning, that the statement is complete, and that the server is ready.
  proxy.say(
    Buffer.concat([
      message('N', 'SWARNING\0C01000\0Mcanceling wait for synchronous replication\0RSyncRepWaitForLSN\0\0'),
      message('C', 'SELECT 1\0'),
      message('Z', 'I'),
    ]),
  );
  expect(isDatabaseUnavailable(await waiting)).toBe(true);
});
