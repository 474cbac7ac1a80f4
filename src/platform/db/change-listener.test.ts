import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anApiKey, aService } from '../../../test/kit/builders.ts';
import { type ConfigChanges, changedConfig } from '../../../test/kit/changed-config.ts';
import { DatabaseProxy } from '../../../test/kit/database-proxy.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { type App, buildApp } from '../../app.ts';
import { api, formats, surfaces } from '../../routes.ts';
import { buildServer } from '../http/server.ts';
import { OperatorError } from '../operator-error.ts';
import { isDatabaseUnavailable } from './errors.ts';

const harness = useHarness();
let url: string;
let service: string;

beforeAll(async () => {
  url = harness.app.pool.options.connectionString ?? '';
  service = await aService(harness);
});

async function aProxy(): Promise<DatabaseProxy> {
  const proxy = await DatabaseProxy.start(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A separate process that connects to the database through the proxy. */
function aProcess(proxy: DatabaseProxy, changes: ConfigChanges = {}): App {
  const { clock, files } = harness;
  const outside = { databaseUrl: proxy.url, log: harness.app.log, clock, files };
  const app = buildApp(changedConfig(harness.app.config, changes), outside);
  onTestFinished(() => app.close());
  return app;
}

async function aServer(app: App) {
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

describe('start', () => {
  it('fails if notifications are not delivered, and names the setting that helps', async () => {
    const proxy = await aProxy();
    proxy.dropNotices = true;
    const refused = await aProcess(proxy)
      .open()
      .catch((error) => error);
    expect(refused).toBeInstanceOf(OperatorError);
    expect(refused.message).toContain('DATABASE_SESSION_URL');
  });

  it('succeeds behind a pooler when DATABASE_SESSION_URL bypasses it', async () => {
    const proxy = await aProxy();
    proxy.dropNotices = true;
    const app = aProcess(proxy, { database: { sessionUrl: url } });
    await app.open();
    expect(app.changeListener.connected).toBe(true);
  });
});

describe('a revoked key', () => {
  it('is rejected within seconds when notifications are lost, and caching resumes when they arrive', async () => {
    const key = await anApiKey(harness, service, { name: 'revoked behind a pooler' });
    const proxy = await aProxy();
    const app = aProcess(proxy);
    const ask = await aServer(app);
    expect(await ask(key)).toBe(200);
    proxy.dropNotices = true;
    await revoke('revoked behind a pooler');
    await expect.poll(() => ask(key), soon).toBe(403);
    expect(app.changeListener.connected).toBe(false);
    proxy.dropNotices = false;
    await expect.poll(() => app.changeListener.connected, soon).toBe(true);
    expect(await ask(key)).toBe(403);
  });
});

describe('the listening connection', () => {
  it('is dropped within seconds when the server vanishes, and reconnects when it is back', async () => {
    const key = await anApiKey(harness, service, { name: 'revoked in silence' });
    const proxy = await aProxy();
    const app = aProcess(proxy);
    const ask = await aServer(app);
    expect(await ask(key)).toBe(200);
    proxy.silent = true;
    const unanswered = app.pool.query('select 1').catch((error: unknown) => error);
    await expect.poll(() => app.changeListener.connected, soon).toBe(false);
    await revoke('revoked in silence');
    expect(isDatabaseUnavailable(await unanswered)).toBe(true);
    proxy.silent = false;
    expect(await ask(key)).toBe(403);
    await expect.poll(() => app.changeListener.connected, { ...soon, timeout: 20_000 }).toBe(true);
  });

  it('stays connected while every connection of the pool is busy', async () => {
    const app = aProcess(await aProxy(), { database: { poolSize: 2 } });
    await app.open();
    let losses = 0;
    app.changeListener.onReset(() => {
      losses += 1;
    });
    await Promise.all(Array.from({ length: 2 }, () => app.pool.query('select pg_sleep(5)')));
    expect({ connected: app.changeListener.connected, losses }).toEqual({ connected: true, losses: 0 });
  });
});
