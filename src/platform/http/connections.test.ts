import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitConnections, respondToClientError, waitOnlyForResponses } from './connections.ts';

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

it('closing waits for requests but not for idle connections', { timeout: 5_000 }, async () => {
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
