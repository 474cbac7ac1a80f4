import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../kit/builders/rows.ts';
import { adminSecret, useHarness } from '../kit/harness.ts';
import { claimPort } from '../kit/process/claim-port.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';
import { startCallbackSink } from '../kit/vendors/stub-gateways.ts';
import { startTraceCollector } from '../kit/vendors/trace-collector.ts';

const sink = await startCallbackSink();
const collector = await startTraceCollector();
const harness = useHarness({ sharesDatabase: true, config: { callbacks: { allowPrivate: true } } });
const processes: ChildProcess[] = [];

async function launch(role: 'api' | 'worker'): Promise<{ child: ChildProcess; address: string }> {
  const { encryption, storage } = harness.app.config;
  const port = await claimPort();
  const env = {
    ...processEnvironment,
    PORT: String(port),
    SECRET_KEYS: encryption.keys.join(),
    DATA_DIR: storage.dataDir,
    LOG_LEVEL: 'error',
    DATABASE_URL: harness.app.pool.options.connectionString,
    ADMIN_CLIENT_SECRETS: adminSecret,
    DEMO: 'false',
    CALLBACK_ALLOW_PRIVATE: 'true',
    SANDBOX_DELAY_MS: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SERVICE_NAME: role,
  };
  const child = spawn(process.execPath, ['dist/main.js', role], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  processes.push(child);
  const address = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  return { child, address };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
}

describe('one message through two processes', { timeout: 120_000 }, () => {
  beforeAll(() => void execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' }), 120_000);

  afterAll(async () => {
    for (const child of processes) await stop(child);
    collector.stop();
    await sink.close();
  });

  it('is one trace, from the request of the caller to the callback', async () => {
    const service_id = await aService(harness);
    const key = await anApiKey(harness, service_id);
    const template_id = await aTemplate(harness, service_id, { content: 'Your code is ((code))' });
    const told = {
      callback_type: 'delivery_status',
      url: `${sink.url}/hook`,
      bearer_token: 'a-bearer-token',
      updated_by_id: await aUser(harness),
    };
    expect((await harness.admin('POST', `/service/${service_id}/callback-api`, told)).status).toBe(201);
    const [api, worker] = await Promise.all([launch('api'), launch('worker')]);

    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const response = await fetch(`${api.address}/v2/notifications/sms?secret=in-the-query`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        tracestate: 'congo=t61rcWkgMzE',
      },
      body: JSON.stringify({ phone_number: '07700900999', template_id, personalisation: { code: 'canary-4711' } }),
    });
    const { id } = (await response.json()) as { id: string };
    expect(response.status).toBe(201);
    await expect.poll(() => sink.calls.length, { timeout: 30_000 }).toBe(1);
    // Stopping sends what has not been sent yet.
    await Promise.all([stop(api.child), stop(worker.child)]);
    expect([api.child.exitCode, worker.child.exitCode]).toEqual([0, 0]);

    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const named = (name: string) => {
      const found = spans.filter((span) => span.name === name);
      expect(found, name).toHaveLength(1);
      return found[0] as (typeof found)[number];
    };
    const request = named('POST /v2/notifications/sms');
    const store = named('store notification');
    const deliver = named('deliver sms');
    const call = named('call sandbox');
    const receipt = named('record receipt');
    const callback = named('POST callback');
    expect(spans).toHaveLength(6);
    expect(spans.map(({ process }) => process).sort()).toEqual(['api', 'api', 'worker', 'worker', 'worker', 'worker']);
    expect(request).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2, traceState: 'congo=t61rcWkgMzE' });
    expect(request.facts).toMatchObject({ 'http.route': '/v2/notifications/sms', 'http.response.status_code': 201 });
    expect(store.parentSpanId).toBe(request.spanId);
    for (const span of [deliver, receipt, callback]) expect(span.parentSpanId, span.name).toBe(store.spanId);
    expect(call).toMatchObject({ parentSpanId: deliver.spanId, facts: { 'pennypost.outcome': 'accepted' } });
    for (const span of [store, deliver, receipt, callback]) expect(span.facts['pennypost.notification.id']).toBe(id);
    expect(sink.calls[0]?.headers.traceparent).toBe(`00-${traceId}-${callback.spanId}-01`);
    for (const secret of ['7700900999', 'canary-4711', 'in-the-query', key.slice(-36), 'a-bearer-token', sink.url]) {
      expect(collector.requests.join(), secret).not.toContain(secret);
    }
  });
});
