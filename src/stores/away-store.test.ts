import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders.ts';
import { changedConfig } from '../../test/kit/changed-config.ts';
import { DatabaseProxy } from '../../test/kit/database-proxy.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import type { App } from '../app.ts';
import { type Started, start } from '../commands/start.ts';
import { inTransaction } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { updateServiceStore } from './service-stores.ts';

const harness = useHarness({ stores: 1, sharesDatabase: true, config: { providers: { sandbox: { delay_ms: 0 } } } });
const logged: string[] = [];
const within = { timeout: 15_000, interval: 100 };
const services: { key: string; template_id: string }[] = [];
let store: App;
let proxy: DatabaseProxy;
let process: Started;

beforeAll(async () => {
  for (const number of [0, 1]) {
    const service = await aService(harness);
    await inTransaction(harness.app.db, (tx) => updateServiceStore(tx, service, number));
    services.push({
      key: await anApiKey(harness, service),
      template_id: await aTemplate(harness, service, { content: 'Hello' }),
    });
  }
  store = harness.app.stores.all[1] as App;
  proxy = await DatabaseProxy.start(urlOf(store));
  proxy.refuse();
  // As a release before this migration left it.
  await sql`drop table suppressed_recipients cascade`.execute(store.db);
  await sql`delete from schema_migrations where name = '0036_suppressed_recipients.sql'`.execute(store.db);
  process = await startWith(proxy.url);
}, 60_000);
afterAll(async () => {
  await process?.stop();
  await proxy?.close();
});

const urlOf = ({ pool }: App) => pool.options.connectionString ?? '';

function startWith(url: string, worker = true): Promise<Started> {
  const databases = [{ number: 1, url }];
  const config = changedConfig(harness.app.config, { http: { port: 0 }, stores: { databases } });
  const log = createLog('info', { write: (line) => void logged.push(line) });
  return start(config, log, urlOf(harness.app), { api: true, worker });
}

async function send(at = 0) {
  const { key, template_id } = services[at] as (typeof services)[number];
  const response = await fetch(`${process.address}/v2/notifications/sms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ template_id, phone_number: '07700900123' }),
  });
  return { status: response.status, headers: response.headers, id: (await response.json()).id as string };
}

async function statusOf({ id }: { id: string }, at = 0): Promise<string> {
  return (await harness.v2('GET', `/v2/notifications/${id}`, services[at]?.key ?? '')).body.status;
}

const read = async (path: string) => (await fetch(`${process.address}${path}`)).text();

describe('a process that starts while a store is away', () => {
  it('serves the services of all others', async () => {
    const sent = await send();
    expect(sent.status).toBe(201);
    const refused = await send(1);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await expect.poll(() => statusOf(sent), within).toBe('delivered');
  });

  it('is ready, and names the store', async () => {
    expect((await fetch(`${process.address}/readyz`)).status).toBe(200);
    expect(JSON.parse(await read('/status'))).toMatchObject({ status: 'ok', db: 'ok', stores_away: [1] });
    expect(await read('/metrics')).toContain('message_store_up{store="0"} 1\nmessage_store_up{store="1"} 0\n');
    expect(logged.find((line) => line.includes('"store.away"'))).toContain('Message store 1 cannot be used');
  });

  it('migrates and uses the store when it comes back', async () => {
    const missing = await sql`select to_regclass('suppressed_recipients') as name`.execute(store.db);
    expect(missing.rows).toEqual([{ name: null }]);
    proxy.accept();
    await expect.poll(async () => (await send(1)).status, within).toBe(201);
    const found = await sql`select to_regclass('suppressed_recipients') as name`.execute(store.db);
    expect(found.rows).toEqual([{ name: 'suppressed_recipients' }]);
    const sent = await send(1);
    await expect.poll(() => statusOf(sent, 1), within).toBe('delivered');
    await expect.poll(() => store.db.selectFrom('queue_workers').select('id').execute(), within).toHaveLength(1);
    expect(JSON.parse(await read('/status'))).not.toHaveProperty('stores_away');
    const name = 'Changed while it is back';
    const user = await aUser(harness);
    await fetch(`${process.adminAddress}/user/${user}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken(harness.clock)}` },
      body: JSON.stringify({ name }),
    });
    const copy = store.db.selectFrom('users').select('name').where('id', '=', user);
    await expect.poll(() => copy.execute(), within).toEqual([{ name }]);
  });
});

it('a process does not use a database that is another store', async () => {
  const other = await startWith(urlOf(harness.app), false);
  await other.stop();
  expect(logged.join('')).toContain('The database of store 1 is store 0 of this installation');
});
