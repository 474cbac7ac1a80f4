import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { RateLimits } from './rate-limits.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/sms';
type Process = Pick<typeof harness, 'v2'>;

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

/** Creates a service with a template and a key. */
async function aSender(limits: Parameters<typeof aService>[1]) {
  const service = await aService(harness, limits);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  const send = (change: object = {}, process: Process = harness, as = key) =>
    process.v2('POST', url, as, { phone_number: '07700900123', template_id, ...change });
  return { service, template_id, key, send };
}

async function storedOf(service: string): Promise<number> {
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', service)
    .execute();
  return rows.length;
}

async function countOf(service: string, channel: 'sms' | 'international_sms' = 'sms'): Promise<number | undefined> {
  const row = await harness.app.db
    .selectFrom('daily_message_counts')
    .select('count')
    .where('service_id', '=', service)
    .where('channel', '=', channel)
    .executeTakeFirst();
  return row?.count;
}

function statuses(responses: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('daily limit', () => {
  it('429 over the limit, with retry-after until midnight UTC', async () => {
    const { service, send } = await aSender({ sms_message_limit: 2 });
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(201);
    const response = await send();
    expect(response.status).toBe(429);
    expect(response.body).toEqual({
      status_code: 429,
      errors: [{ error: 'TooManyRequestsError', message: 'Exceeded send limits (daily: 2) for today' }],
    });
    expect(response.headers['retry-after']).toBe(String(12 * 3600));
    expect(await storedOf(service)).toBe(2);
    expect(await countOf(service)).toBe(2);
  });

  it('429 before the body is read', async () => {
    const { send } = await aSender({ sms_message_limit: 1 });
    await send();
    expect((await send({ template_id: 'x' })).status).toBe(429);
  });

  it('201 on the next UTC day', async () => {
    const { send } = await aSender({ sms_message_limit: 1 });
    await send();
    harness.clock.set('2026-11-16T23:59:59Z');
    expect((await send()).status).toBe(429);
    harness.clock.set('2026-11-17T00:00:00Z');
    expect((await send()).status).toBe(201);
  });

  it('201 after the limit is raised', async () => {
    const { service, send } = await aSender({ sms_message_limit: 1 });
    await send();
    expect((await send()).status).toBe(429);
    await harness.app.db.updateTable('services').set({ sms_message_limit: 2 }).where('id', '=', service).execute();
    harness.app.changeListener.reset();
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
  });

  it('accepts exactly 20 of 60 parallel sends with a limit of 20', async () => {
    const { service, send } = await aSender({ sms_message_limit: 20 });
    const responses = await Promise.all(Array.from({ length: 60 }, () => send()));
    expect(statuses(responses)).toEqual({ 201: 20, 429: 40 });
    expect(await storedOf(service)).toBe(20);
    expect(await countOf(service)).toBe(20);
  });

  it('accepts exactly 20 of 60 parallel sends with a limit of 20 through two processes', async () => {
    const { service, send } = await aSender({ sms_message_limit: 20 });
    const other = await harness.anotherProcess();
    const responses = await Promise.all(Array.from({ length: 60 }, (_, n) => send({}, n % 2 ? other : harness)));
    expect(statuses(responses)).toEqual({ 201: 20, 429: 40 });
    expect(await storedOf(service)).toBe(20);
  });

  it('counts each channel separately, live and team keys together, and no test keys or simulated numbers', async () => {
    const { service, send } = await aSender({ sms_message_limit: 2, email_message_limit: 1 });
    const test = await anApiKey(harness, service, { key_type: 'test' });
    for (let sent = 0; sent < 4; sent += 1) expect((await send({}, harness, test)).status).toBe(201);
    expect((await send({ phone_number: '07700900000' })).status).toBe(201);
    expect(await countOf(service)).toBeUndefined();
    const team = await anApiKey(harness, service, { key_type: 'team' });
    expect((await send({ phone_number: '07700900460' }, harness, team)).status).toBe(201);
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
    expect((await send({}, harness, test)).status).toBe(201);
    const email = await aTemplate(harness, service, { template_type: 'email', content: 'x', subject: 'y' });
    const key = await anApiKey(harness, service);
    const mail = () =>
      harness.v2('POST', '/v2/notifications/email', key, { email_address: 'a@example.org', template_id: email });
    expect((await mail()).status).toBe(201);
    expect((await mail()).body.errors[0].message).toBe('Exceeded send limits (daily: 1) for today');
  });

  it('429 for every send with a limit of 0', async () => {
    const { send } = await aSender({ sms_message_limit: 0 });
    expect((await send()).status).toBe(429);
  });

  it('429 over the international limit; does not affect the UK or the Channel Islands', async () => {
    const { service, send } = await aSender({ international_sms_message_limit: 2, sms_message_limit: 5 });
    const abroad = { phone_number: '+1 202 555 0104' };
    const responses = await Promise.all([send(abroad), send(abroad), send(abroad)]);
    expect(statuses(responses)).toEqual({ 201: 2, 429: 1 });
    const response = await send(abroad);
    expect(response.body).toEqual({
      status_code: 429,
      errors: [{ error: 'TooManyRequestsError', message: 'Exceeded send limits (international_sms: 2) for today' }],
    });
    expect((await send({ phone_number: '07797711111' })).status).toBe(201);
    expect((await send()).status).toBe(201);
    expect(await countOf(service)).toBe(4);
    expect(await countOf(service, 'international_sms')).toBe(2);
  });
});

describe('rate limit', () => {
  it('429 over the limit, with rate limit headers', async () => {
    const { send } = await aSender({ rate_limit: 3 });
    const remaining = [];
    for (let sent = 0; sent < 3; sent += 1) {
      const { status, headers } = await send();
      expect(status).toBe(201);
      remaining.push(headers['ratelimit-remaining']);
      expect(headers['ratelimit-limit']).toBe('3');
      expect(headers['ratelimit-policy']).toBe('3;w=60');
      expect(headers['ratelimit-reset']).toBe('60');
    }
    expect(remaining).toEqual(['2', '1', '0']);
    harness.clock.advance({ seconds: 20 });
    const response = await send();
    expect(response.status).toBe(429);
    expect(response.body).toEqual({
      status_code: 429,
      errors: [
        { error: 'RateLimitError', message: 'Exceeded rate limit for key type LIVE of 3 requests per 60 seconds' },
      ],
    });
    expect(response.headers['ratelimit-remaining']).toBe('0');
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(40);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(41);
  });

  it('rolls: each request leaves the window after a minute', async () => {
    const { send } = await aSender({ rate_limit: 2 });
    await send();
    harness.clock.advance({ seconds: 30 });
    await send();
    harness.clock.advance({ seconds: 29 });
    expect((await send()).status).toBe(429);
    harness.clock.advance({ seconds: 2 });
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
    harness.clock.advance({ seconds: 30 });
    expect((await send()).status).toBe(201);
  });

  it('201 after the clock was set back: requests in the future do not fill the window', async () => {
    const { send } = await aSender({ rate_limit: 2 });
    const other = await harness.anotherProcess();
    for (let sent = 0; sent < 3; sent += 1) await send();
    expect((await send({}, other)).status).toBe(429);
    harness.clock.advance({ hours: -1 });
    expect((await send()).status).toBe(201);
    expect((await send({}, other)).status).toBe(201);
    expect((await send()).status).toBe(429);
  });

  it('counts and refuses invalid requests; does not count refused ones', async () => {
    const { send } = await aSender({ rate_limit: 2 });
    expect((await send({ template_id: 'x' })).status).toBe(400);
    expect((await send({ template_id: 'x' })).status).toBe(400);
    expect((await send({ template_id: 'x' })).status).toBe(429);
    harness.clock.advance({ seconds: 61 });
    expect((await send()).status).toBe(201);
  });

  it('counts by key type, not by key', async () => {
    const { service, send } = await aSender({ rate_limit: 1 });
    const second = await anApiKey(harness, service);
    const test = await anApiKey(harness, service, { key_type: 'test' });
    const team = await anApiKey(harness, service, { key_type: 'team' });
    expect((await send()).status).toBe(201);
    expect((await send({}, harness, second)).status).toBe(429);
    expect((await send({}, harness, test)).status).toBe(201);
    expect((await send({}, harness, test)).body.errors[0].message).toContain('key type TEST of 1 requests');
    await send({}, harness, team);
    expect((await send({}, harness, team)).body.errors[0].message).toContain('key type TEAM of 1 requests');
  });

  it('enforces a small limit exactly under concurrency through two processes', async () => {
    const { send } = await aSender({ rate_limit: 50 });
    const other = await harness.anotherProcess();
    const responses = await Promise.all(Array.from({ length: 120 }, (_, n) => send({}, n % 2 ? other : harness)));
    expect(statuses(responses)).toEqual({ 201: 50, 429: 70 });
  });

  it('exceeds a large limit by at most 5 % through two processes, and always grants it in full', async () => {
    const { send } = await aSender({ rate_limit: 400 });
    const other = await harness.anotherProcess();
    const responses = await Promise.all(Array.from({ length: 600 }, (_, n) => send({}, n % 2 ? other : harness)));
    const accepted = statuses(responses)[201] ?? 0;
    expect(accepted).toBeGreaterThanOrEqual(400);
    expect(accepted).toBeLessThanOrEqual(420);
  });

  it('enforces a large limit exactly in one process', async () => {
    const { send } = await aSender({ rate_limit: 400 });
    const responses = await Promise.all(Array.from({ length: 500 }, () => send()));
    expect(statuses(responses)).toEqual({ 201: 400, 429: 100 });
  });

  it('enforces a large limit exactly in one process while a query is in flight', async () => {
    const limits = new RateLimits(harness.app);
    const caller = { service_id: await aService(harness), window: 'normal' } as const;
    const take = (count: number) => Array.from({ length: count }, async () => limits.take(caller, 800));
    const decisions = take(1);
    for (let taken = 1; taken < 780; taken += 5) {
      await Promise.all(decisions);
      decisions.push(...take(Math.min(5, 780 - taken)));
    }
    await sleep(200);
    // Five at once are granted locally. The sixth needs a query; later ones wait for the next query and fill the window.
    const first = take(6);
    await nextTurn();
    const second = take(14);
    await Promise.all(first);
    await nextTurn();
    const third = take(20);
    const all = await Promise.all([...decisions, ...first, ...second, ...third]);
    limits.close();
    expect(all.filter(({ granted }) => granted)).toHaveLength(800);
  });

  it('forgets idle windows a few at a time, and never one with requests to report', async () => {
    const limits = new RateLimits(harness.app, 20);
    const windows: Map<string, { unreported: number }> = Reflect.get(limits, 'windows');
    const services = Array.from({ length: 100 }, () => randomUUID());
    const take = (service_id: string) => limits.take({ service_id, window: 'normal' }, 160);
    for (const service_id of services.slice(0, 60)) await take(service_id);
    expect(windows.size).toBe(60);
    const unreported = () => [...windows.values()].filter((window) => window.unreported > 0);
    await expect.poll(() => unreported().length, { timeout: 10_000 }).toBe(0);
    const sizes: number[] = [];
    for (const service_id of services.slice(60)) {
      await take(service_id);
      sizes.push(windows.size);
    }
    limits.close();
    expect(sizes[0]).toBe(53);
    for (const service_id of services.slice(60)) expect(windows.has(`${service_id} normal`)).toBe(true);
    expect(windows.size).toBe(40);
  });

  it('reports the requests of many services in batches, and those of a waiting request first', async () => {
    const reported: number[] = [];
    const query = (config: { text: string; values: [string] }) => {
      reported.push(JSON.parse(config.values[0]).length);
      return harness.app.pool.query(config);
    };
    const limits = new RateLimits({ ...harness.app, pool: { query } as never });
    const services = Array.from({ length: 1_000 }, () => randomUUID());
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
    onTestFinished(() => clock.mockRestore());
    for (const service_id of services) void limits.take({ service_id, window: 'normal' }, 3_000);
    clock.mockReturnValue(now + 28_000);
    await limits.take({ service_id: randomUUID(), window: 'normal' }, 10);
    expect(reported).toEqual([1]);
    clock.mockReturnValue(now + 30_000);
    await limits.take({ service_id: randomUUID(), window: 'normal' }, 10);
    expect(reported).toEqual([1, 101]);
    await expect.poll(() => reported.reduce((sum, count) => sum + count, 0)).toBe(1_002);
    expect(Math.max(...reported)).toBe(101);
    limits.close();
  });

  it('does not limit reads and previews', async () => {
    const { key, template_id } = await aSender({ rate_limit: 0 });
    expect((await harness.v2('GET', '/v2/notifications', key)).status).toBe(200);
    expect((await harness.v2('POST', `/v2/template/${template_id}/preview`, key, {})).status).toBe(200);
  });

  it('applies a changed limit at once', async () => {
    const { service, send } = await aSender({ rate_limit: 1 });
    await send();
    expect((await send()).status).toBe(429);
    await harness.app.db.updateTable('services').set({ rate_limit: 2 }).where('id', '=', service).execute();
    harness.app.changeListener.reset();
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
  });
});
