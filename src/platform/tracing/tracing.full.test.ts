import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { type CollectedSpan, startTraceCollector } from '../../../test/kit/vendors/trace-collector.ts';
import { maxWaitingSpans } from './exported-spans.ts';
import { Tracing } from './tracing.ts';

const collector = await startTraceCollector();
afterAll(() => collector.stop());
const harness = useHarness({ config: { tracing: { endpoint: collector.endpoint } } });
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

let key: string;
let template_id: string;

beforeEach(async () => {
  collector.mode = 'take';
  if (key) return;
  const service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Hello' });
});

async function send(headers: Record<string, string>, at: Pick<typeof harness, 'v2'> = harness): Promise<string> {
  const body = { phone_number: '07700900123', template_id };
  const sent = await at.v2('POST', '/v2/notifications/sms', key, body, headers);
  expect(sent.status, sent.text).toBe(201);
  return sent.body.id;
}

async function spansOf(id: string, count: number): Promise<CollectedSpan[]> {
  const found = () => collector.spans.filter(({ facts }) => facts['pennypost.notification.id'] === id);
  await expect.poll(() => found().length, { timeout: 15_000 }).toBe(count);
  return found();
}

async function storedTraces(): Promise<number> {
  const { rows } = await harness.app.pool.query('select count(*)::int as count from message_traces');
  return rows[0].count;
}

describe('traceparent', () => {
  it('is ignored if it is malformed, and an oversized tracestate is cut', async () => {
    const malformed = [
      'nonsense',
      `00-${traceId}-${parent}`,
      `00-${traceId.toUpperCase()}-${parent}-01`,
      `00-${'0'.repeat(32)}-${parent}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${parent}-01-more`,
      `ff-${traceId}-${parent}-01`,
      `00-${traceId}-${parent}-01, 00-${traceId}-${parent}-01`,
    ];
    const ids: string[] = [];
    for (const traceparent of malformed) ids.push(await send({ traceparent }));
    for (const [index, id] of ids.entries()) {
      const [store] = await spansOf(id, 1);
      expect(store?.traceId, malformed[index]).toMatch(/^[0-9a-f]{32}$/);
      expect(store?.traceId, malformed[index]).not.toBe(traceId);
    }
    const tracestate = Array.from({ length: 100 }, (_, number) => `vendor${number}=${'x'.repeat(100)}`).join();
    const [store] = await spansOf(await send({ traceparent: `00-${traceId}-${parent}-01`, tracestate }), 1);
    expect(store?.traceId).toBe(traceId);
    expect(store?.traceState?.length ?? 0).toBeLessThanOrEqual(512);
    const request = collector.spans.find(({ spanId }) => spanId === store?.parentSpanId);
    expect(request?.traceState?.length ?? 0).toBeLessThanOrEqual(512);
  });

  it('decides about recording, unless the sampler says otherwise; nothing is stored for what is not recorded', async () => {
    const before = await storedTraces();
    await send({ traceparent: `00-${traceId}-${parent}-00` });
    expect(await storedTraces()).toBe(before);
    const strict = await harness.anotherProcess({ tracing: { sampler: 'traceidratio', share: 0 } });
    await send({ traceparent: `00-${traceId}-${parent}-01` }, strict);
    expect(await storedTraces()).toBe(before);
    const trusting = await harness.anotherProcess({ tracing: { share: 0 } });
    await send({}, trusting);
    expect(await storedTraces()).toBe(before);
    await send({ traceparent: `00-${traceId}-${parent}-01` }, trusting);
    expect(await storedTraces()).toBe(before + 1);
    const off = await harness.anotherProcess({ tracing: { endpoint: undefined } });
    await send({ traceparent: `00-${traceId}-${parent}-01` }, off);
    expect(off.app.tracing).toBeUndefined();
    expect(await storedTraces()).toBe(before + 1);
  });
});

describe('a message that is sent much later', () => {
  it('has a trace of its own with a link to that of its request', async () => {
    const prompt = await send({ traceparent: `00-${traceId}-${parent}-01` });
    await harness.deliver();
    const [, delivered] = await spansOf(prompt, 2);
    expect(delivered).toMatchObject({ name: 'deliver sms', traceId });

    const late = await send({ traceparent: `00-${traceId}-${parent}-01` });
    harness.clock.advance({ hours: 3 });
    await harness.deliver();
    const [store, deliver] = await spansOf(late, 2);
    expect(store).toMatchObject({ name: 'store notification', traceId });
    expect(deliver).toMatchObject({ name: 'deliver sms', links: [{ traceId, spanId: store?.spanId }] });
    expect(deliver?.traceId).not.toBe(traceId);
    expect(deliver?.parentSpanId ?? '').toBe('');
    const call = collector.spans.find(({ parentSpanId }) => parentSpanId === deliver?.spanId);
    expect(call).toMatchObject({ name: 'call sandbox', traceId: deliver?.traceId });
  });

  it('is found for a week', async () => {
    await send({ traceparent: `00-${traceId}-${parent}-01` });
    harness.clock.advance({ days: 6 });
    const recent = await storedTraces();
    await harness.addTask('delete-expired-data');
    await harness.runTasks();
    expect(await storedTraces()).toBe(recent);
    harness.clock.advance({ days: 1, minutes: 1 });
    await harness.addTask('delete-expired-data');
    await harness.runTasks();
    expect(await storedTraces()).toBe(0);
  });
});

describe('log lines', () => {
  it('name the trace of the recorded request that they are about', async () => {
    await harness.app.pool.query('alter table message_traces rename to hidden');
    const body = { phone_number: '07700900123', template_id };
    const headers = { traceparent: `00-${traceId}-${parent}-01` };
    const failed = await harness.v2('POST', '/v2/notifications/sms', key, body, headers);
    await harness.app.pool.query('alter table hidden rename to message_traces');
    expect(failed.status).toBe(500);
    const line = harness.logged.map((text) => JSON.parse(text)).find(({ event }) => event === 'request.failed');
    expect(line.trace_id).toBe(traceId);
  });
});

describe('a collector that does not take spans', () => {
  const results = async () => {
    const text = await harness.app.metrics.registry.getSingleMetricAsString('trace_spans_total');
    const figure = (result: string) => Number(new RegExp(`result="${result}"} (\\d+)`).exec(text)?.[1] ?? 0);
    return { exported: figure('exported'), failed: figure('failed'), dropped: figure('dropped') };
  };

  it('is counted and logged, and delays nothing', async () => {
    const before = await results();
    expect(before.exported).toBeGreaterThan(0);
    collector.mode = 'refuse';
    await send({});
    await expect.poll(async () => (await results()).failed, { timeout: 15_000 }).toBeGreaterThan(before.failed);
    expect(harness.logged.join()).toContain('trace.export_failed');
  });

  it('fills a limited queue, then spans are dropped; stopping does not wait for it', { timeout: 30_000 }, async () => {
    collector.mode = 'hang';
    const { log, metrics } = harness.app;
    const { endpoint } = collector;
    const options = { endpoint, headers: {}, version: '1', resource: {}, share: 1, callersDecide: true };
    const tracing = new Tracing(options, { log, metrics });
    await tracing.open();
    const before = await results();
    const started = performance.now();
    for (let count = 0; count < maxWaitingSpans + 100; count += 1) {
      tracing.startRequest({}, { name: 'GET /', kind: 'server', facts: {} })?.end();
    }
    expect((await results()).dropped).toBe(before.dropped + 100);
    await tracing.close();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await results()).dropped).toBe(before.dropped + 100 + maxWaitingSpans);
  });
});
