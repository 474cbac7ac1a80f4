import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const apart_ms = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'pennypost-faults-'));
const clockFile = join(folder, 'clock');
let world: World;

beforeAll(async () => {
  writeFileSync(clockFile, '0');
  const preload = new URL('../kit/fakes/jumping-clock.mjs', import.meta.url).href;
  world = await World.start({
    processes: ['api', 'worker', 'worker'],
    env: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: clockFile },
  });
  // Long enough for a call to look abandoned to a worker whose clock is ahead.
  world.sink.delay_ms = 2_000;
}, 120_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('workers whose clocks differ: no message and no callback is sent twice', async () => {
  const sender = await world.aSender('Clocks', { callbackPath: '/hook' });
  // Both right and one 10 s ahead: a worker that is behind would send late.
  writeFileSync(clockFile, String(apart_ms));
  world.workers[1]?.signal('SIGUSR2');
  await sleep(4_000);
  const load = new Load(() => world.api.port);
  await load.sendFor(sender, 15, 12);
  const outcome = await collectOutcome(world, load.accepted, 90);
  const calls = [...load.accepted].map((id) => world.sink.calls.filter(({ body }) => body.includes(id)).length);
  const repeated = calls.filter((count) => count > 1).length;
  report('clocks of workers differ', `one of 2 is ${apart_ms / 1_000} s ahead, receivers answer after 2 s`, outcome, [
    `${calls.length} callbacks, ${repeated} of them came twice`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect(calls.filter((count) => count === 0)).toEqual([]);
  expect(repeated).toBe(0);
});
