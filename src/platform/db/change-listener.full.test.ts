import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { anApiKey, aService } from '../../../test/kit/builders/rows.ts';
import { type ConfigChanges, changedConfig } from '../../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { DatabaseProxy } from '../../../test/kit/process/database-proxy.ts';
import { type App, buildApp } from '../../app.ts';
import { formats } from '../../operations/text-formats.ts';
import { api, surfaces } from '../../routes.ts';
import { OperatorError } from '../failure.ts';
import { buildServer } from '../http/server.ts';
import { isDatabaseUnavailable } from './errors.ts';

const harness = useHarness();
let url: string;
let service: string;

beforeAll(async () => {
  url = harness.app.pool.options.connectionString ?? '';
  service = await aService(harness);
});

type Test = Pick<TestContext, 'onTestFinished'>;

async function aProxy({ onTestFinished }: Test): Promise<DatabaseProxy> {
  const proxy = await DatabaseProxy.start(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A separate process that connects to the database through the proxy. */
function aProcess({ onTestFinished }: Test, proxy: DatabaseProxy, changes: ConfigChanges = {}): App {
  const { clock, files } = harness;
  const outside = { databaseUrl: proxy.url, log: harness.app.log, clock, files };
  const app = buildApp(changedConfig(harness.app.config, changes), outside);
  onTestFinished(() => app.close());
  return app;
}

async function aServer({ onTestFinished }: Test, app: App) {
  await app.open();
  const http = await buildServer({ app, surfaces, formats, api: { ...api, version: 'test' } });
  onTestFinished(() => http.close());
  return async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await http.inject({ method: 'GET', url: '/v2/templates', headers })).statusCode;
  };
}

async function revoke(name: string): Promise<void> {
  const { body } = await harness.admin('GET', `/service/${service}/api-keys`);
  const { id } = body.apiKeys.find((key: { name: string }) => key.name === name);
  expect((await harness.admin('POST', `/service/${service}/api-key/revoke/${id}`)).status).toBe(202);
}

const soon = { timeout: 10_000, interval: 50 };

// They mostly wait, so they wait together.
describe.concurrent('start', () => {
  it('fails if notifications are not delivered, and names the setting that helps', async (test) => {
    const proxy = await aProxy(test);
    proxy.dropNotices = true;
    const refused = await aProcess(test, proxy)
      .open()
      .catch((error) => error);
    expect(refused).toBeInstanceOf(OperatorError);
    expect(refused.message).toContain('DATABASE_SESSION_URL');
  });

  it('succeeds behind a pooler when DATABASE_SESSION_URL bypasses it', async (test) => {
    const proxy = await aProxy(test);
    proxy.dropNotices = true;
    const app = aProcess(test, proxy, { database: { sessionUrl: url } });
    await app.open();
    expect(app.changeListener.connected).toBe(true);
  });
});

describe.concurrent('a revoked key', () => {
  it('is rejected within seconds when notifications are lost, and caching resumes when they arrive', async (test) => {
    const key = await anApiKey(harness, service, { name: 'revoked behind a pooler' });
    const proxy = await aProxy(test);
    const app = aProcess(test, proxy);
    const ask = await aServer(test, app);
    expect(await ask(key)).toBe(200);
    proxy.dropNotices = true;
    await revoke('revoked behind a pooler');
    await test.expect.poll(() => ask(key), soon).toBe(403);
    expect(app.changeListener.connected).toBe(false);
    proxy.dropNotices = false;
    await test.expect.poll(() => app.changeListener.connected, soon).toBe(true);
    expect(await ask(key)).toBe(403);
  });

  it('is rejected at once by a process that catches up, even if the notification was lost', async (test) => {
    const key = await anApiKey(harness, service, { name: 'revoked unheard' });
    const proxy = await aProxy(test);
    const app = aProcess(test, proxy);
    const ask = await aServer(test, app);
    expect(await ask(key)).toBe(200);
    proxy.dropNotices = true;
    await revoke('revoked unheard');
    await app.changeListener.catchUp();
    expect(await ask(key)).toBe(403);
  });
});

describe.concurrent('the listening connection', () => {
  it('is dropped within seconds when the server vanishes, and reconnects when it is back', async (test) => {
    const key = await anApiKey(harness, service, { name: 'revoked in silence' });
    const proxy = await aProxy(test);
    const app = aProcess(test, proxy);
    const ask = await aServer(test, app);
    expect(await ask(key)).toBe(200);
    proxy.silent = true;
    const unanswered = app.pool.query('select 1').catch((error: unknown) => error);
    await test.expect.poll(() => app.changeListener.connected, soon).toBe(false);
    await revoke('revoked in silence');
    expect(isDatabaseUnavailable(await unanswered)).toBe(true);
    proxy.silent = false;
    expect(await ask(key)).toBe(403);
    await test.expect.poll(() => app.changeListener.connected, { ...soon, timeout: 20_000 }).toBe(true);
  });

  it('stays connected while every connection of the pool is busy', async (test) => {
    const app = aProcess(test, await aProxy(test), { database: { poolSize: 2 } });
    await app.open();
    let losses = 0;
    app.changeListener.onReset(() => {
      losses += 1;
    });
    await Promise.all(Array.from({ length: 2 }, () => app.pool.query('select pg_sleep(5)')));
    expect({ connected: app.changeListener.connected, losses }).toEqual({ connected: true, losses: 0 });
  });
});
