import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxWaiting, shareTheLoop } from './pipelined-requests.ts';

describe('a client that sends many requests without waiting for responses', () => {
  async function sendAtOnce(count: number) {
    const handled: string[] = [];
    const http = Fastify();
    shareTheLoop(http);
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
