import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { metricsOf } from '../../test/kit/world/metrics.ts';

const harness = useHarness();
const folder = mkdtempSync(join(tmpdir(), 'pennypost-clamd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clamdSocket = join(folder, 'clamd.ctl');
const scanned = useHarness({ config: { storage: { clamavAddress: clamdSocket } } });
const guarded = useHarness({ config: { auth: { metricsToken: 'token-of-prometheus' } } });

describe('GET /metrics', () => {
  it('200 with request counts by route, and no credentials', async () => {
    await harness.request({ method: 'GET', url: '/status' });
    const response = await harness.request({ method: 'GET', url: '/metrics' });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.text).toContain('http_server_requests_total{method="GET",path="/status",code="200"}');
    expect(response.text).toContain('db_connection_total_connected');
  });

  it('200 with NaN in the spelling of Prometheus', async () => {
    harness.app.metrics.gauge('nan_for_a_test', 'Nan', () => Number.NaN);
    const text = await metricsOf(harness);
    expect(text).toMatch(/^nan_for_a_test NaN$/m);
    expect(text).toContain('# HELP nan_for_a_test Nan\n');
  });

  it('200 with the free space of the disk', async () => {
    mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
    const text = await metricsOf(harness);
    const [free, size] = ['free', 'size'].map((what) =>
      Number(new RegExp(`^disk_${what}_bytes\\{folder="data"\\} (\\d+)$`, 'm').exec(text)?.[1]),
    );
    expect(free).toBeGreaterThan(0);
    expect(size).toBeGreaterThan(free ?? 0);
  });

  it('200 with the state of the virus scanner, if there is one', async () => {
    expect(await metricsOf(harness)).not.toContain('virus_scanner_up');
    expect(await metricsOf(scanned)).toMatch(/^virus_scanner_up 0$/m);
    const clamd = createServer((socket) =>
      socket.on('data', (data) => data.subarray(-4).equals(Buffer.alloc(4)) && socket.end('stream: OK\0')),
    );
    await new Promise<void>((resolve) => clamd.listen(clamdSocket, resolve));
    expect(await metricsOf(scanned)).toMatch(/^virus_scanner_up 1$/m);
    await new Promise((resolve) => clamd.close(resolve));
    expect(await metricsOf(scanned)).toMatch(/^virus_scanner_up 0$/m);
  });

  it('200 with the number of requests in progress, without those whose client disconnected', async () => {
    await harness.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = harness.http.server.address() as AddressInfo;
    const count = async () => {
      const { text } = await harness.request({ method: 'GET', url: '/metrics' });
      return Number(/^concurrent_web_request_count (\d+)$/m.exec(text)?.[1]);
    };
    expect(await count()).toBe(1);
    const unfinished = 'POST /notifications/sms/mmg HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{';
    const clients = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'));
    for (const client of clients) client.write(unfinished);
    await expect.poll(count, { timeout: 5_000 }).toBe(4);
    for (const client of clients) client.destroy();
    await expect.poll(count, { timeout: 5_000 }).toBe(1);
  });

  it('200 with the token of METRICS_TOKEN', async () => {
    for (const authorization of ['Bearer token-of-prometheus', 'bearer token-of-prometheus']) {
      const response = await guarded.request({ method: 'GET', url: '/metrics', headers: { authorization } });
      expect(response.status).toBe(200);
      expect(response.text).toContain('http_server_requests_total');
    }
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer token-of-prometheuS',
    'Bearer token-of-prometheus-and-more',
    'Basic token-of-prometheus',
    'token-of-prometheus',
  ])('401 with METRICS_TOKEN for Authorization %j', async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await guarded.request({ method: 'GET', url: '/metrics', headers });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="metrics"');
    expect(response.body).toEqual({ result: 'error', message: 'Unauthorized: the metrics token must be provided' });
    expect(response.text).not.toContain('http_server');
  });
});
