import { describe, expect, it } from 'vitest';
import { aQueuedMessage } from '../../../test/kit/builders/queued-messages.ts';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import type { ConfigChanges } from '../../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { readBody } from './sandbox.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { demo: { enabled: true } } });

describe('GET /outbox', () => {
  it('200 with pages: at most 100 messages, fewer if they are long', async () => {
    const service = await aService(harness);
    const thing = 'x'.repeat(300_000);
    for (let count = 0; count < 3; count++) {
      await aQueuedMessage(harness, service, {
        notification_type: 'email',
        personalisation: { name: thing, thing: 'x' },
      });
    }
    await harness.deliver();
    const page = async (query: string) => (await harness.request({ method: 'GET', url: `/outbox${query}` })).body;
    const first = await page('');
    expect(first.messages.length).toBeLessThan(3);
    expect(first.older_than).toBe(first.messages.at(-1).reference);
    const second = await page(`?older_than=${first.older_than}`);
    expect(second.older_than).toBeNull();
    const references = [...first.messages, ...second.messages].map(({ reference }) => reference);
    expect([references.length, new Set(references).size]).toEqual([3, 3]);
    await harness.app.pool.query('delete from sandbox_messages');
  });

  it('200 with the messages', async () => {
    const service = await aService(harness);
    const personalisation = { name: '<script>alert(1)</script>', thing: 'x' };
    const text = await aQueuedMessage(harness, service, { personalisation });
    const email = await aQueuedMessage(harness, service, { notification_type: 'email', personalisation });
    await harness.deliver();
    const { body } = await harness.request({ method: 'GET', url: '/outbox' });
    expect(body.messages).toHaveLength(2);
    expect(body.messages.find(({ reference }: { reference: string }) => reference === text)).toMatchObject({
      notification_type: 'sms',
      recipient: '447700900123',
      sender: 'TESTING',
      body: 'Hello <script>alert(1)</script>',
      status: 'sending',
    });
    const source = await harness.request({ method: 'GET', url: `/outbox/${email}` });
    expect(source.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(source.text).toContain('Subject: About x');
  });

  it('303 to the console for browsers, or 200 where it is switched off', async () => {
    const ask = { method: 'GET', url: '/outbox', headers: { accept: 'text/html,*/*' } } as const;
    const browser = await harness.request(ask);
    expect([browser.status, browser.headers.location]).toEqual([303, '/console/sandbox']);
    const without = await harness.anotherProcess({ demo: { enabled: true }, console: { enabled: false } });
    expect((await without.request(ask)).body.messages).toBeInstanceOf(Array);
  });

  it('200 without account messages, which require an admin token', async () => {
    const { status } = await harness.admin('POST', `/user/${await aUser(harness)}/sms-code`, {});
    expect(status).toBe(204);
    await harness.deliver();
    const kept = await harness.app.db
      .selectFrom('sandbox_messages')
      .select(['reference', 'body'])
      .orderBy('reference', 'desc')
      .executeTakeFirstOrThrow();
    const code = { ...kept, body: readBody(harness.app, kept) };
    expect(code.body).toMatch(/\d{5} is your sign-in code/);

    const everyone = await harness.request({ method: 'GET', url: '/outbox' });
    expect(everyone.status).toBe(200);
    expect(everyone.text).not.toContain(code.body);
    expect((await harness.request({ method: 'GET', url: `/outbox/${code.reference}` })).status).toBe(404);
    expect((await harness.admin('GET', '/outbox')).text).toContain(code.body);
    expect((await harness.admin('GET', `/outbox/${code.reference}`)).text).toContain(code.body);
    expect((await harness.v2('GET', '/outbox', 'no-token-of-an-administrator')).status).toBe(403);
  });

  it.each(['/outbox', '/outbox/6ce466d0-fd6a-11e5-82f5-e0accb9d11a6'])(
    '%s cannot be read by other sites',
    async (url) => {
      for (const method of ['GET', 'OPTIONS', 'DELETE'] as const) {
        const { headers } = await harness.request({ method, url, headers: { origin: 'https://site.example' } });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        if (method === 'GET') expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      }
    },
  );

  it.each([
    [200, 'localhost:6011'],
    [200, '127.0.0.1'],
    [200, '[::1]:6011'],
    [403, 'site.example:6011'],
    [403, '127.0.0.1.site.example'],
    [403, 'localhost.site.example'],
  ])('%d for the Host header %s: prevents DNS rebinding', async (status, host) => {
    for (const url of ['/outbox', '/outbox/6ce466d0-fd6a-11e5-82f5-e0accb9d11a6']) {
      const response = await harness.request({ method: 'GET', url, headers: { host } });
      expect(response.status).toBe(url === '/outbox' ? status : status === 200 ? 404 : 403);
    }
  });

  it('200 for the host of BASE_URL, and for any host if other machines are served', async () => {
    const ask = async (changes: ConfigChanges) => {
      const { request } = await harness.anotherProcess({ demo: { enabled: true }, ...changes });
      return (await request({ method: 'GET', url: '/outbox', headers: { host: 'notify.example' } })).status;
    };
    expect(await ask({ urls: { api: 'https://notify.example' } })).toBe(200);
    expect(await ask({ http: { host: '0.0.0.0' } })).toBe(200);
    expect(await ask({})).toBe(403);
  });

  it('404 for an unknown message', async () => {
    const url = '/outbox/6ce466d0-fd6a-11e5-82f5-e0accb9d11a6';
    expect((await harness.request({ method: 'GET', url })).status).toBe(404);
    expect((await harness.request({ method: 'GET', url: '/outbox/..%2f..%2fetc' })).status).toBe(404);
  });
});

describe('GET /outbox outside the demo', () => {
  const real = useHarness({ config: { demo: { enabled: false } } });

  it('404', async () => {
    expect((await real.request({ method: 'GET', url: '/outbox' })).status).toBe(404);
  });
});
