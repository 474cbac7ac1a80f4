import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
}, 120_000);
afterAll(() => world?.close());

it('a callback receiver that never responds does not delay callbacks of others', async () => {
  const slow = await world.aSender('Slow receiver', { callbackPath: '/slow' });
  const quick = await world.aSender('Quick receiver', { callbackPath: '/quick' });
  const load = new Load(() => world.api.port);
  const quickLoad = new Load(() => world.api.port);
  world.sink.answer = (path) => (path === '/slow' ? undefined : 204);
  await load.sendAll(slow, 400, 20);
  await sleep(1_500);
  const heldUp = world.sink.calls.length;
  const waits: number[] = [];
  for (let sent = 0; sent < 25; sent += 1) {
    await quickLoad.sendAll(quick, 4, 4);
    const started = Date.now();
    const ids = [...quickLoad.accepted].slice(-4);
    while (!ids.every(isTold)) await sleep(10);
    waits.push(Date.now() - started);
  }
  world.sink.answer = () => 204;
  const accepted = new Set([...load.accepted, ...quickLoad.accepted]);
  const outcome = await collectOutcome(world, accepted);
  report('slow webhook receivers', `400 callbacks to a receiver that does not respond, ${heldUp} calls held`, outcome, [
    `another service got its callback after at most ${Math.max(...waits)} ms (accepted to callback)`,
  ]);
  expect(heldUp).toBeLessThanOrEqual(50);
  expect(Math.max(...waits)).toBeLessThan(4_000);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect([...accepted].filter((id) => !isTold(id))).toEqual([]);
});

function isTold(id: string): boolean {
  return world.sink.calls.some(({ body }) => body.includes(id));
}
