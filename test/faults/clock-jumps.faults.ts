import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const hour_ms = 3_600_000;
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
  // Calls take long enough to look abandoned to the other worker when the clock jumps.
  world.provider.gateways.delay_ms = 3_000;
}, 120_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('clock jumps: no message is sent twice or waits for the clock to catch up', async () => {
  const sender = await world.aSender('Time', { callbackPath: '/hook' });
  const limited = await world.aSender('Limited', { limits: { rate_limit: 20 } });
  const load = new Load(() => world.api.port);
  const limitedLoad = new Load(() => world.api.port);
  let running = true;
  const loading = load.sendSteadily(sender, 30, () => running);
  await sleep(2_000);
  const ofAnotherMinute: string[] = [];
  for (const offset_ms of [hour_ms, -hour_ms, 0]) {
    // A service that has just used up its rate limit.
    await limitedLoad.sendAll(limited, 21, 7);
    setClocks(offset_ms);
    await sleep(5_000);
    ofAnotherMinute.push(await limitedLoad.send(limited));
  }
  running = false;
  await loading;
  const outcome = await collectOutcome(world, new Set([...load.accepted, ...limitedLoad.accepted]), 30);
  report('clock jumps', '1 h forward, 2 h back, 1 h forward, in all processes under load', outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `last final after ${outcome.seconds} s`,
  ]);
  expect(Object.keys(load.responses)).toEqual(['201']);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect(ofAnotherMinute).toEqual(['201', '201', '201']);
});

function setClocks(offset_ms: number): void {
  writeFileSync(clockFile, String(offset_ms));
  for (const process of world.processes) process.signal('SIGUSR2');
}
