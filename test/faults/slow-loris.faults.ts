import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const requestTimeout_s = 15;
let world: World;

beforeAll(async () => {
  world = await World.start({ env: { REQUEST_TIMEOUT_S: String(requestTimeout_s) } });
}, 120_000);
afterAll(() => world?.close());

interface Dripping {
  socket: Socket;
  closedAfter_ms?: number;
}

it('clients that send a byte a second are disconnected, and others are not affected', async () => {
  const [api] = world.apis;
  if (!api) throw new Error('There is no API');
  const sender = await world.aSender('Loris', { callbackPath: '/hook' });
  const head = `POST /v2/notifications/sms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sender.key}\r\n`;
  const inHead = Array.from({ length: 500 }, () => drip(api.port, `${head}X-Slow: `, 'a'));
  const inBody = Array.from({ length: 500 }, () => drip(api.port, `${head}Content-Length: 1000\r\n\r\n`, ' '));
  const silent = Array.from({ length: 500 }, () => drip(api.port, '', ''));
  const all = [...inHead, ...inBody, ...silent];
  // Opening 1,500 connections keeps this process busy, too, which would count as the server's response time.
  await Promise.all(all.map(({ socket }) => once(socket, 'connect')));
  const load = new Load(() => api.port);
  await load.sendFor(sender, 50, requestTimeout_s + 6);
  const left = all.filter(({ closedAfter_ms }) => closedAfter_ms === undefined);
  const longest = (drips: Dripping[]) =>
    Math.round(Math.max(...drips.map((one) => one.closedAfter_ms ?? 99_000)) / 1_000);
  const outcome = await collectOutcome(world, load.accepted);
  report('slow-loris clients', '1,500: headers, bodies of a byte a second, nothing at all', outcome, [
    `disconnected after at most ${longest(inHead)}, ${longest(inBody)}, ${longest(silent)} s`,
    `API p99 ${load.quantile(0.99)} ms`,
  ]);
  for (const { socket } of left) socket.destroy();
  expect(left).toHaveLength(0);
  expect(Object.keys(load.responses)).toEqual(['201']);
  expect(load.quantile(0.99)).toBeLessThan(500);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

function drip(port: number, beginning: string, byte: string): Dripping {
  const dripping: Dripping = { socket: connect(port, '127.0.0.1') };
  const started = Date.now();
  const { socket } = dripping;
  socket.on('error', () => undefined).on('data', () => undefined);
  socket.on('close', () => {
    dripping.closedAfter_ms = Date.now() - started;
  });
  void keepDripping();
  return dripping;

  async function keepDripping(): Promise<void> {
    socket.write(beginning);
    while (!socket.destroyed) {
      await sleep(1_000);
      if (byte) socket.write(byte);
    }
  }
}
