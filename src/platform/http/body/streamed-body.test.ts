import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure, statusOfKind } from '../../failure.ts';
import { onRequestEnd } from '../connections.ts';
import { readBodies } from './body.ts';
import { BodyMemory } from './body-memory.ts';
import type { StreamedBody } from './streamed-body.ts';

const memory_bytes = 1024 * 1024;
const maxBytes = 2 * memory_bytes;
const timeout_ms = 1_000;
const http = Fastify();
let port: number;
/** How the last body ended. */
let outcome: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  readBodies(http, { memory: new BodyMemory(memory_bytes), timeout_ms });
  onRequestEnd(http, ({ incomingBody }) => incomingBody?.release());
  http.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Failure ? statusOfKind[error.kind] : 400).send(String((error as Error).message)),
  );
  const config = { bodyTypes: { 'application/json': 'json', 'text/csv': 'stream' } as const };
  http.post('/read', { config }, async ({ body }) => {
    const reading = readAll(body as StreamedBody);
    outcome = reading.catch((error) => error);
    return reading;
  });
  http.post('/stop', { config }, async ({ body }) => {
    for await (const _ of (body as StreamedBody).read(maxBytes)) throw new Failure('invalid', 'Wrong', 'Wrong header');
  });
  http.post('/slow', { config }, async ({ body }) => {
    for await (const _ of (body as StreamedBody).read(maxBytes)) await sleep(timeout_ms / 2);
    return 'read';
  });
  http.post('/ignore', { config }, async () => 'not read');
  http.post('/json', { config }, async ({ body }) => body);
  await http.listen({ port: 0, host: '127.0.0.1' });
  port = (http.server.address() as AddressInfo).port;
});
afterAll(() => http.close());

async function readAll(body: StreamedBody) {
  let length = 0;
  for await (const chunk of body.read(maxBytes)) length += chunk.length;
  return { length, digest: body.digest() };
}

function post(path: string, body: string | ReadableStream, type = 'text/csv; charset=utf-8') {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
    duplex: 'half',
  } as RequestInit);
}

const chunk = 65_536;

function streamOf(bytes: number): ReadableStream {
  const chunks = (function* () {
    for (let sent = 0; sent < bytes; sent += chunk) yield Buffer.alloc(Math.min(chunk, bytes - sent), 0x61);
  })();
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream;
}

describe('a streamed body', () => {
  it('is larger than the memory for bodies, and has a digest', async () => {
    const response = await post('/read', streamOf(maxBytes));
    expect(await response.json()).toEqual({
      length: maxBytes,
      digest: createHash('sha256').update(Buffer.alloc(maxBytes, 0x61)).digest('base64url'),
    });
  });

  it('413 beyond its limit, announced or not', async () => {
    expect((await post('/read', 'a'.repeat(maxBytes + 1))).status).toBe(413);
    expect((await post('/read', streamOf(maxBytes + 1))).status).toBe(413);
  });

  it('415 for another type, or none', async () => {
    for (const type of ['text/plain', 'csv', '']) {
      const response = await post('/read', 'a', type);
      expect(response.status).toBe(415);
      expect(await response.text()).toBe('Content-Type must be one of application/json, text/csv');
    }
  });

  it('is parsed where its type is JSON', async () => {
    expect(await (await post('/json', '{"a":1}', 'Application/JSON')).json()).toEqual({ a: 1 });
  });

  it.each(['/stop', '/ignore'])(
    'lets a client that is still sending finish, and use its connection again: %s',
    async (path) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: text/csv\r\ncontent-length: ${maxBytes}\r\n\r\n`);
      socket.write(Buffer.alloc(1_000));
      const [first] = await once(socket, 'data');
      expect(String(first)).toMatch(path === '/stop' ? /400 .*Wrong header/s : /200 .*not read/s);
      socket.write(Buffer.alloc(maxBytes - 1_000));
      socket.write('POST /json HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
      const [second] = await once(socket, 'data');
      expect(String(second)).toMatch(/^HTTP\/1.1 200 .*\{\}$/s);
      socket.destroy();
    },
  );

  it('408 for a client that keeps us waiting, which can read it', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /read HTTP/1.1\r\nhost: a\r\ncontent-type: text/csv\r\ncontent-length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('a'), timeout_ms / 4);
    const [response] = await once(socket, 'data');
    clearInterval(drip);
    socket.destroy();
    expect(String(response)).toMatch(/^HTTP\/1.1 408 .*The request did not arrive within 1 seconds$/s);
  });

  it('does not count the time that its reader takes', async () => {
    const started = performance.now();
    const response = await post('/slow', streamOf(5 * chunk));
    expect(await response.text()).toBe('read');
    expect(performance.now() - started).toBeGreaterThan(timeout_ms * 2);
  });

  it('ends with an error of the client that goes away', async () => {
    const headers = { 'content-type': 'text/csv', 'content-length': '1000' };
    const client = httpRequest({ port, host: '127.0.0.1', path: '/read', method: 'POST', headers });
    client.on('error', () => undefined);
    const before = outcome;
    client.write('a');
    while (outcome === before) await new Promise((resolve) => setTimeout(resolve, 5));
    client.destroy();
    expect(await outcome).toMatchObject({ statusCode: 400 });
  });
});
