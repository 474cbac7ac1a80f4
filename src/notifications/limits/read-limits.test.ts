import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { expectError } from '../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { http: { readRateLimit: 3 } } });
const generous = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications';

describe('reading', () => {
  let service: string;
  let key: string;
  let template_id: string;
  const list = (as = key) => harness.v2('GET', url, as);

  beforeAll(async () => {
    service = await aService(harness);
    key = await anApiKey(harness, service);
    template_id = await aTemplate(harness, service, { content: 'Hello' });
  });

  it('429 over the limit, with retry-after', async () => {
    const first = await list();
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
    expect((await harness.v2('GET', '/v2/templates', key)).status).toBe(200);
    expect((await harness.v2('POST', `/v2/template/${template_id}/preview`, key, {})).status).toBe(200);
    const refused = await list();
    const text = 'Exceeded rate limit for key type LIVE of 3 requests per 60 seconds';
    expectError(refused, 429, 'RateLimitError', text);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['ratelimit-remaining']).toBe('0');
    expect((await harness.v2('GET', '/v2/received-text-messages', key)).status).toBe(429);
  });

  it('counts other key types, other services and sends separately', async () => {
    expect((await list(await anApiKey(harness, service, { key_type: 'test' }))).status).toBe(200);
    expect((await list(await anApiKey(harness, await aService(harness)))).status).toBe(200);
    const send = () => harness.v2('POST', `${url}/sms`, key, { phone_number: '07700900123', template_id });
    for (let count = 0; count < 4; count += 1) expect((await send()).status).toBe(201);
  });

  it('200 after a minute', async () => {
    harness.clock.advance({ seconds: 61 });
    expect((await list()).status).toBe(200);
  });

  it('401 and 403 before the limit', async () => {
    expect((await harness.request({ method: 'GET', url })).status).toBe(401);
    expect((await list('nobody')).status).toBe(403);
  });

  it.each([
    [20, '3000'],
    [5_000, '5000'],
  ])('limits reads to the send limit of the service, at least 3000: %i', async (rate_limit, limit) => {
    const other = await anApiKey(generous, await aService(generous, { rate_limit }));
    expect((await generous.v2('GET', url, other)).headers['ratelimit-limit']).toBe(limit);
  });
});
