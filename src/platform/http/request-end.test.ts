import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onRequestEnd } from './request-end.ts';

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
