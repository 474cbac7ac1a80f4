import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFilesLimit } from '../../src/platform/http/connections.ts';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/** Limited by this process's open files, too: each connection is an open file at both ends. */
const wanted = Math.min(10_000, openFilesLimit() - 1_000);
const sockets: Socket[] = [];
let world: World;

beforeAll(async () => {
  world = await World.start();
}, 120_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await world?.close();
});

it('ten thousand idle connections do not slow down the others', async () => {
  const [api] = world.apis;
  if (!api) throw new Error('There is no API');
  const sender = await world.aSender('Idle', { callbackPath: '/hook' });
  const before = new Load(() => api.port);
  await before.sendFor(sender, 50, 5);
  const memory = api.memoryMb();
  while (sockets.length < wanted) {
    await Promise.all(Array.from({ length: Math.min(250, wanted - sockets.length) }, () => openIdle(api.port)));
  }
  const during = new Load(() => api.port);
  await during.sendFor(sender, 50, 8);
  const open = sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;
  const grown = api.memoryMb() - memory;
  const outcome = await collectOutcome(world, new Set([...before.accepted, ...during.accepted]));
  const stopped = Date.now();
  await api.restart();
  report('idle connections', `${open} connections that ask once and then say nothing`, outcome, [
    `API p50/p99 ${during.quantile(0.5)}/${during.quantile(0.99)} ms, without them ${before.quantile(0.5)}/${before.quantile(0.99)} ms`,
    `memory +${grown} MB`,
    `restart with all of them open ${Date.now() - stopped} ms`,
  ]);
  expect(open).toBe(wanted);
  expect(Object.keys(during.responses)).toEqual(['201']);
  expect(during.quantile(0.99)).toBeLessThan(500);
  expect(grown).toBeLessThan(400);
  expect(api.exitCodes).toEqual([0]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

/** One request, so that the server treats it as a keep-alive client. */
function openIdle(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.once('data', () => resolve());
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    sockets.push(socket);
  });
}
