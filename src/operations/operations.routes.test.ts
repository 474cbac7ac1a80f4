import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { isDatabaseAvailable } from './operations.sql.ts';

const harness = useHarness();

describe('GET /status', () => {
  it.each(['/status', '/_status'])('200 with the four keys at %s', async (url) => {
    const response = await harness.request({ method: 'GET', url });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'ok', db: 'ok', git_commit: 'unknown', build_time: 'unknown' });
  });
});

it('concurrent status checks share one query', async () => {
  const { app } = harness;
  const statements = vi.spyOn(app.db, 'getExecutor');
  onTestFinished(() => void statements.mockRestore());
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => harness.request({ method: 'GET', url: '/status' })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(statements.mock.calls.length).toBeGreaterThan(0);
  expect(statements.mock.calls.length).toBeLessThan(50);
});

describe('GET /openapi.json and /docs', () => {
  it('200 with an OpenAPI 3.1 document', async () => {
    const response = await harness.request({ method: 'GET', url: '/openapi.json' });
    expect(response.body.openapi).toBe('3.1.0');
    expect(response.body.paths['/status']).toBeDefined();
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(['/docs/json', '/docs/yaml'])('302 from %s to the document', async (url) => {
    const response = await harness.request({ method: 'GET', url });
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe('/openapi.json');
  });

  it('200 with a page that loads no external resources', async () => {
    const response = await harness.request({ method: 'GET', url: '/docs/' });
    expect(response.status).toBe(200);
    expect(response.text).not.toMatch(/(src|href)="https?:/);
  });

  it.each(['/docs/', '/docs/json'])('does not let browsers replace http by https: %s', async (url) => {
    const { headers } = await harness.request({ method: 'GET', url });
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'/);
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

describe('database outage', () => {
  it('a server that accepts connections but never responds counts as unavailable', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { log } = harness.app;
    const database = openDatabase({ url: `postgres://nobody@127.0.0.1:${port}/none`, poolSize: 2, log });
    expect(await isDatabaseAvailable({ ...harness.app, db: database.db }, 50)).toBe(false);
    silent.close();
  });

  it('503 with the error body of the API, not ready, and recovery without a restart', async () => {
    const { app } = harness;
    const database = (await app.pool.query('select current_database() as name')).rows[0].name;
    const connection = new pg.Client({ connectionString: harness.serverUrl });
    await connection.connect();
    await connection.query(`alter database ${database} allow_connections false`);
    await connection.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);

    expect((await harness.request({ method: 'GET', url: '/readyz' })).status).toBe(503);
    expect((await harness.request({ method: 'GET', url: '/status' })).status).toBe(500);
    const refused = await harness.admin('GET', '/service/d6aa2c68-a2d9-4437-ab19-3ae8eb202553/api-keys');
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ result: 'error', message: 'The database cannot be reached, try again shortly' });

    await connection.query(`alter database ${database} allow_connections true`);
    await connection.end();
    expect((await harness.request({ method: 'GET', url: '/readyz' })).status).toBe(200);
    expect((await harness.admin('GET', '/service/d6aa2c68-a2d9-4437-ab19-3ae8eb202553/api-keys')).status).toBe(200);
  });
});
