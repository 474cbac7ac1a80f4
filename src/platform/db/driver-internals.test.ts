import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { breakWith, cut, isEnding, onParameterStatus, onReadyForQuery } from './driver-internals.ts';

/** A connection of the real driver. */
async function aClient(prepare: (client: pg.Client) => void = () => {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  prepare(client);
  await client.connect();
  return client;
}

it('the settings that the server reports are read', async () => {
  const settings = new Map<string, string>();
  await aClient((client) => onParameterStatus(client, (name, value) => settings.set(name, value)));
  expect([settings.get('in_hot_standby'), settings.get('default_transaction_read_only')]).toEqual(['off', 'off']);
});

it('the end of each statement is noticed', async () => {
  let count = 0;
  const client = await aClient((connecting) => onReadyForQuery(connecting, () => count++));
  const connected = count;
  await client.query('select 1');
  await client.query('select 2');
  expect([connected, count]).toEqual([1, 3]);
});

it('a client knows that it was ended', async () => {
  const client = await aClient();
  expect(isEnding(client)).toBe(false);
  await client.end();
  expect(isEnding(client)).toBe(true);
});

it('a cut connection fails its statement', async () => {
  const client = await aClient();
  const waiting = expect(client.query('select pg_sleep(30)')).rejects.toThrow('Connection terminated unexpectedly');
  cut(client);
  await waiting;
});

it('a broken connection fails its statement with the error', async () => {
  const client = await aClient();
  const waiting = expect(client.query('select pg_sleep(30)')).rejects.toThrow('the reason');
  breakWith(client, new Error('the reason'));
  await waiting;
});
