import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anApiKey, aService } from '../../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../../test/kit/harness.ts';
import { newId } from '../../id.ts';

// An eighth, 1 MiB, is for unauthenticated callers.
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { http: { bodyMemory_bytes: 8 * 1024 * 1024 }, providers: { twilio: { authToken: 'token' } } },
});
const receipts = '/notifications/sms/mmg';
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, 1]));
let port: number;
let key: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
  port = (harness.http.server.address() as AddressInfo).port;
  key = await anApiKey(harness, await aService(harness));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends the head of a request and part of its body; `response` is what comes back, if anything. */
function begin(path: string, options: { announced: number; sent: number; headers?: string[] }) {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', `content-length: ${options.announced}`];
  socket.write(`${[...head, ...(options.headers ?? []), '', ''].join('\r\n')}`);
  socket.write(Buffer.alloc(options.sent, 0x20));
  return { socket, response: once(socket, 'data').then(([data]) => String(data)) };
}

const withKey = () => [`authorization: Bearer ${key}`];

describe('the size of a body', () => {
  it.each([
    ['without credentials', () => receipts, () => ({})],
    ['where no file arrives', () => '/v2/notifications/sms', () => ({ authorization: `Bearer ${key}` })],
    [
      'of a form',
      () => `/unsubscribe/${newId(new Date())}/token`,
      () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
    ],
  ])('413 above 256 KiB %s', async (_what, url, headers) => {
    const send = (bytes: number) =>
      harness.request({
        method: 'POST',
        url: url(),
        headers: headers() as Record<string, string>,
        payload: Buffer.alloc(bytes, 0x20),
      });
    expect((await send(256 * 1024 + 1)).status).toBe(413);
    expect((await send(256 * 1024)).status).not.toBe(413);
  });

  it('413 for chunks that add up to more', async () => {
    const { socket, response } = begin(receipts, { announced: 0, sent: 0, headers: ['x: y'] });
    await response;
    const chunk = 'x'.repeat(64 * 1024);
    socket.write(`POST ${receipts} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < 5; sent += 1) socket.write(`10000\r\n${chunk}\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 /);
  });

  it('reads a body that arrives in many chunks', async () => {
    const body = JSON.stringify({ template_id: 'x', personalisation: { a: 'é'.repeat(100_000) } });
    const { socket, response } = begin('/v2/notifications/sms', {
      announced: Buffer.byteLength(body),
      sent: 0,
      headers: withKey(),
    });
    for (let at = 0; at < body.length; at += 1_001) socket.write(body.slice(at, at + 1_001));
    expect(await response).toContain('phone_number is a required property');
  });
});

describe('an unread body', () => {
  it.each([
    [404, 'an unknown path', '/nowhere', []],
    [404, 'an id that is none', '/service/not-an-id/api-key', []],
    [405, 'a wrong method', '/v2/templates', []],
    [401, 'a caller without credentials', '/v2/notifications/email', []],
    [401, 'a front end without credentials', `/service/${newId(new Date())}/api-key`, []],
    [403, 'a key that is none', '/v2/notifications/letter', ['authorization: Bearer nonsense']],
    [403, 'a printer without a token', '/notifications/letter/status', []],
    [401, 'a gateway without credentials', '/notifications/sms/receive/mmg', []],
  ])('%d at once for %s', async (status, _what, path, headers) => {
    const { response } = begin(path, { announced: 20_000_000, sent: 10, headers });
    expect(await response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('the number of values', () => {
  it('400 for too many', async () => {
    const response = await harness.v2('POST', '/v2/notifications/email', key, { personalisation: names(10_001) });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ error: 'BadRequestError', message: 'The request has too many values' }]);
  });

  it('400 for a form with more than a thousand fields', async () => {
    const payload = Array.from({ length: 1_001 }, (_, index) => `f${index}=1`).join('&');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await harness.request({ method: 'POST', url: '/notifications/sms/firetext', headers, payload });
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('The request has too many values');
  });

  it('400 that names the first fifty of thousands of unknown fields, and the missing ones', async () => {
    const { status, body, text } = await harness.v2('POST', '/v2/notifications/sms', key, names(9_000));
    expect(status).toBe(400);
    expect(body.errors.map(({ message }: { message: string }) => message.slice(0, 40))).toEqual([
      'phone_number is a required property',
      'template_id is a required property',
      'Additional properties are not allowed (n',
    ]);
    expect(text.length).toBeLessThan(2_000);
  });

  it('400 with the first fifty of thousands of texts on the administrative API', async () => {
    const path = `/service/${newId(new Date())}/api-key/revoke/${newId(new Date())}`;
    const { status, body } = await harness.admin('POST', path, names(9_000));
    expect(status).toBe(400);
    expect(body.message._schema).toHaveLength(50);
  });

  it('400 that truncates a long value', async () => {
    const { text } = await harness.v2('POST', '/v2/notifications/sms', key, {
      phone_number: ['x'.repeat(100_000)],
      personalisation: Array.from({ length: 5_000 }, () => 'y'),
    });
    expect(text).toContain('is not of type string');
    expect(text.length).toBeLessThan(4_000);
  });

  it('403 for any form that Twilio did not sign', async () => {
    for (const payload of [JSON.stringify(names(9_000)), '[]', '7', '{"a":{"toString":1}}']) {
      const headers = { 'x-twilio-signature': 'c2lnbmF0dXJl' };
      const response = await harness.request({ method: 'POST', url: '/notifications/sms/twilio', headers, payload });
      expect(response.status).toBe(403);
      expect(response.text.length).toBeLessThan(200);
    }
  });
});

describe('the memory for bodies', () => {
  const whole = { announced: 260_000, sent: 200_000 };

  it('503 when unfinished bodies fill it, which are dropped after two seconds', async () => {
    const slow = Array.from({ length: 5 }, () => begin(receipts, whole));
    await expect.poll(() => probe(250_000), { timeout: 10_000 }).toMatch(/^HTTP\/1.1 503 .*retry-after: 1/s);
    // The rest of the memory is available to others.
    expect((await harness.v2('GET', '/v2/templates', key)).status).toBe(200);
    const letter = { content: 'x'.repeat(2_000_000) };
    expect((await harness.v2('POST', '/v2/notifications/letter', key, letter)).status).toBe(400);
    await expect.poll(() => probe(250_000), { timeout: 10_000 }).toMatch(/^HTTP\/1.1 400 /);
    expect(await slow[0]?.response).toMatch(/^HTTP\/1.1 503 /);
  });

  it.each([
    ['v2', '/v2/notifications/letter'],
    ['v2', '/v2/notifications/email'],
    ['admin', `/service/${newId(new Date())}/send-pdf-letter`],
    ['admin', `/service/${newId(new Date())}/templates/${newId(new Date())}/template_email_files`],
    ['admin', '/letter-attachment'],
  ])('503 only while unfinished files fill it: %s %s', async (surface, path) => {
    const headers = surface === 'v2' ? withKey() : [`authorization: Bearer ${adminToken(harness.clock)}`];
    const send = (sent: number) => begin(path, { announced: 2_000_000, sent, headers });
    const slow = Array.from({ length: 5 }, () => send(1_900_000));
    expect(await Promise.race(slow.map(({ response }) => response))).toMatch(/^HTTP\/1.1 503 .*retry-after: 1/s);
    // A request without a body needs no memory.
    expect((await harness.v2('GET', '/v2/templates', key)).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await expect.poll(() => send(2_000_000).response, { timeout: 10_000 }).toMatch(/^HTTP\/1.1 400 /);
  });

  it('is released when clients disconnect, and after each request', async () => {
    const slow = Array.from({ length: 5 }, () => begin(receipts, whole));
    await expect.poll(() => probe(250_000), { timeout: 10_000 }).toMatch(/^HTTP\/1.1 503 /);
    for (const { socket } of slow) socket.destroy();
    await expect.poll(() => probe(250_000), { timeout: 1_500 }).toMatch(/^HTTP\/1.1 400 /);
    for (let round = 0; round < 20; round += 1) expect(await probe(250_000)).toMatch(/^HTTP\/1.1 400 /);
    const content = 'x'.repeat(3_000_000);
    for (let round = 0; round < 6; round += 1) {
      expect((await harness.v2('POST', '/v2/notifications/letter', key, { content })).status).toBe(400);
    }
  });

  it('is released when clients disconnect after two pipelined requests', async () => {
    // The first request waits for the table; the second, behind it, has been read.
    const holder = await harness.app.pool.connect();
    onTestFinished(async () => {
      await holder.query('rollback');
      holder.release();
    });
    await holder.query('begin');
    await holder.query('lock table templates in access exclusive mode');
    const first = `GET /v2/templates HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`;
    const second = `POST ${receipts} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 250000\r\n\r\n${' '.repeat(250_000)}`;
    const clients = Array.from({ length: 5 }, () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined).write(first + second);
      return socket;
    });
    await expect.poll(() => probe(250_000), { timeout: 10_000 }).toMatch(/^HTTP\/1.1 503 /);
    for (const socket of clients) socket.destroy();
    await expect.poll(() => probe(250_000), { timeout: 10_000 }).toMatch(/^HTTP\/1.1 400 /);
  });

  function probe(bytes: number): Promise<string> {
    return begin(receipts, { announced: bytes, sent: bytes }).response;
  }
});

it('404 for a malformed id, before authentication', async () => {
  expect((await harness.request({ method: 'GET', url: '/user/not-a-uuid' })).status).toBe(404);
  expect((await harness.request({ method: 'GET', url: `/user/${newId(new Date())}` })).status).toBe(401);
  const headers = { authorization: `Bearer ${adminToken(harness.clock)}` };
  expect((await harness.request({ method: 'GET', url: '/user/not-a-uuid', headers })).status).toBe(404);
});

it.each([`/user/${'a'.repeat(3_000)}`, `/v2/template/${'a'.repeat(3_000)}`, `/d/x/${'a'.repeat(3_000)}`])(
  '404 for a path with a segment that is too long: %.20s',
  async (url) => {
    const response = await harness.request({ method: 'GET', url });
    expect(response.status).toBe(404);
    expect(response.text).toContain('The requested URL was not found on the server.');
    expect(response.text.length).toBeLessThan(300);
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    expect(response.headers['access-control-allow-origin']).toBe(url.startsWith('/d/') ? undefined : '*');
  },
);
