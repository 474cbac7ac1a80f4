import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  limitConnections,
  limitPipelining,
  maxWaiting,
  onRequestEnd,
  respondToClientError,
  waitOnlyForResponses,
} from './connections.ts';

const server = createServer({ headersTimeout: 100, connectionsCheckingInterval: 20 }, (_request, response) => {
  response.end();
}).on('clientError', respondToClientError);

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

/** Everything that the server sends until it closes the connection. */
async function say(text: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

describe('input that never becomes a request', () => {
  it.each([
    [408, 'headers that do not end', 'GET / HTTP/1.1\r\nX-Slow: ', 'Request Timeout'],
    [408, 'nothing at all', '', 'Request Timeout'],
    [
      431,
      'headers that are too long',
      `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n`,
      'Request Header Fields Too Large',
    ],
    [400, 'something else than HTTP', 'hello\r\n\r\n', 'Bad Request'],
  ])('%d for %s, and the connection is closed', async (status, _what, text, message) => {
    const [head = '', body = ''] = (await say(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toEqual({ result: 'error', message });
  });
});

it.each([
  [20_000, 19_000],
  [1_024, 512],
])('with %d open files allows %d connections', (openFiles, max) => {
  const limited = createServer();
  limitConnections(limited, openFiles);
  expect(limited.maxConnections).toBe(max);
});

it('closing waits for requests but not for idle connections', { timeout: 30_000 }, async () => {
  const http = Fastify({ forceCloseConnections: 'idle' });
  waitOnlyForResponses(http);
  let closing: Promise<void> | undefined;
  http.get('/', async () => {
    closing = http.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return 'answered';
  });
  const address = await http.listen({ port: 0, host: '127.0.0.1' });
  const silent = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
  await once(silent, 'connect');
  const answer = await fetch(address);
  expect(await answer.text()).toBe('answered');
  await closing;
  expect(silent.destroyed || (await once(silent, 'close'))).toBeTruthy();
});

describe('a client that sends many requests without waiting for responses', () => {
  async function sendAtOnce(count: number) {
    const handled: string[] = [];
    const http = Fastify();
    limitPipelining(http);
    http.get('/:name', ({ url }, reply) => {
      handled.push(url);
      reply.send(url);
    });
    await http.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => http.close());
    const open = () => {
      const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      return socket.on('error', () => undefined);
    };
    const request = (name: string | number) => `GET /${name} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const socket = open();
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(Array.from({ length: count }, (_, index) => request(index)).join(''));
    return { handled, closed, responses: () => received.match(/\r\n\/\d+/g) ?? [] };
  }

  it('gets the responses in order, up to a limit', async () => {
    const { responses } = await sendAtOnce(maxWaiting);
    await expect.poll(responses).toEqual(Array.from({ length: maxWaiting }, (_, index) => `\r\n/${index}`));
  });

  it('is disconnected above the limit, and the rest is not handled', async () => {
    const { handled, closed } = await sendAtOnce(5_000);
    await closed;
    expect(handled.length).toBeLessThan(2 * maxWaiting);
  });
});

describe('onRequestEnd for pipelined requests', () => {
  async function sendTogether({ respondFirst }: { respondFirst: boolean }) {
    const ended: string[] = [];
    const seen: string[] = [];
    const http = Fastify();
    onRequestEnd(http, ({ url }) => ended.push(url));
    http.get('/:name', (request, reply) => {
      seen.push(request.url);
      if (request.url !== '/first') reply.send('');
      else if (respondFirst) setTimeout(() => reply.send(''), 50);
    });
    await http.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => http.close());
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    onTestFinished(() => void socket.destroy());
    const urls = ['/first', ...Array.from({ length: 20 }, (_, index) => `/${index}`)];
    socket.write(urls.map((url) => `GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
    await expect.poll(() => seen).toEqual(urls);
    return { socket, ended, urls };
  }

  it('is called when their connection closes', async () => {
    const { socket, ended, urls } = await sendTogether({ respondFirst: false });
    expect(ended).toEqual([]);
    socket.destroy();
    await expect.poll(() => [...ended].sort()).toEqual([...urls].sort());
  });

  it('is called once when their responses are written', async () => {
    const { socket, ended, urls } = await sendTogether({ respondFirst: true });
    await expect.poll(() => ended).toEqual(urls);
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toEqual(urls);
  });
});
