import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { DatabaseProxy } from '../../../test/kit/process/database-proxy.ts';
import { statusOfKind } from '../failure.ts';
import { cut } from './driver-internals.ts';
import { failureOfDatabaseError } from './errors.ts';
import { isServerGone, lostConnectionMessages } from './server-gone.ts';

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('from the server', 1, 'error'), { code });
}

describe('failureOfDatabaseError', () => {
  it.each([
    ['53100', 503, 'no disk left'],
    ['53200', 503, 'no memory left'],
    ['53300', 503, 'no connection left'],
    ['58030', 503, 'the disk fails'],
    ['57P01', 503, 'shutting down'],
    ['57P03', 503, 'starting up'],
    ['57014', 503, 'took longer than a statement may'],
    ['57P05', 503, 'an idle session that was ended'],
    ['25P03', 503, 'a transaction that stood still'],
    ['55P03', 503, 'a lock that another transaction holds'],
    ['25006', 503, 'a replica that takes no writes'],
    ['08006', 503, 'connection lost'],
    ['40P01', 409, 'a deadlock'],
    ['40001', 409, 'a transaction that could not be serialised'],
    ['22021', 400, 'text that cannot be stored'],
    ['23503', 400, 'an id that does not exist'],
  ])('%s is %d: %s', (code, status) => {
    const failure = failureOfDatabaseError(databaseError(code));
    expect(failure && statusOfKind[failure.kind]).toBe(status);
    if (status === 503) expect(failure?.headers).toEqual({ 'retry-after': '1' });
  });

  it.each(['42P01', '23505', 'XX000'])('%s is a bug', (code) => {
    expect(failureOfDatabaseError(databaseError(code))).toBeUndefined();
  });
});

describe('isServerGone', () => {
  it('is true for every error that the driver reports without a code', async () => {
    const errors = await Promise.all([
      whenCut(),
      whenQueriedAfterCut(),
      whenEnded(),
      whenQueriedAfterEnd(),
      whenServerIsSilent(),
      whenPoolIsBusy(),
      whenPoolIsEnded(),
      whenTlsBreaks(),
    ]);
    const messages = errors.map((error) => (error as Error).message);
    const provoked = (start: string) => messages.some((message) => message.startsWith(start));
    expect(lostConnectionMessages.filter((start) => !provoked(start))).toEqual([]);
    expect(errors.filter((error) => !isServerGone(error))).toEqual([]);
  });
});

/** A connection of the real driver. */
async function aClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

async function whenCut(): Promise<unknown> {
  const client = await aClient();
  const waiting = client.query('select pg_sleep(30)').catch((error) => error);
  cut(client);
  return waiting;
}

async function whenQueriedAfterCut(): Promise<unknown> {
  const client = await aClient();
  const closed = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  cut(client);
  await closed;
  return client.query('select 1').catch((error) => error);
}

async function whenEnded(): Promise<unknown> {
  const client = await aClient();
  const waiting = client.query('select pg_sleep(30)').catch((error) => error);
  await client.end();
  return waiting;
}

async function whenQueriedAfterEnd(): Promise<unknown> {
  const client = await aClient();
  await client.end();
  return client.query('select 1').catch((error) => error);
}

async function whenServerIsSilent(): Promise<unknown> {
  const proxy = await DatabaseProxy.start(inject('databaseUrl'));
  onTestFinished(() => proxy.close());
  proxy.silent = true;
  return new pg.Client({ connectionString: proxy.url, connectionTimeoutMillis: 100 }).connect().catch((error) => error);
}

async function whenPoolIsBusy(): Promise<unknown> {
  const pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1, connectionTimeoutMillis: 5_000 });
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  pool.options.connectionTimeoutMillis = 50;
  const error = await pool.connect().catch((refused) => refused);
  client.release();
  return error;
}

async function whenPoolIsEnded(): Promise<unknown> {
  const pool = new pg.Pool({ connectionString: inject('databaseUrl') });
  await pool.end();
  return pool.connect().catch((error) => error);
}

/** The server agrees to TLS and closes the connection. */
async function whenTlsBreaks(): Promise<unknown> {
  const server = createServer((socket) => socket.once('data', () => socket.end('S'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ssl = { rejectUnauthorized: false };
  return new pg.Client({ host: '127.0.0.1', port, user: 'u', database: 'd', password: 'p', ssl })
    .connect()
    .catch((error) => error);
}
