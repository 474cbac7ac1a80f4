import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const stall_s = 15;
let world: World;

beforeAll(async () => {
  world = await World.start({ processes: ['api', 'worker', 'worker'], env: { DELIVERY_CONCURRENCY: '40' } });
  world.provider.gateways.delay_ms = 500;
  // After the stall: a receipt must not finish a message that the other worker should find unfinished.
  world.provider.receiptAfter = () => 20_000;
}, 120_000);
afterAll(() => world?.close());

it('a worker stalls for longer than its lease: the other takes over, and late results are ignored', async () => {
  const sender = await world.aSender('Stalled');
  const load = new Load(() => world.api.port);
  const [stalled] = world.workers;
  let running = true;
  const loading = load.sendSteadily(sender, 40, () => running);
  await sleep(3_000);
  const stalledAt = Date.now();
  stalled?.signal('SIGSTOP');
  await sleep(stall_s * 1_000);
  stalled?.signal('SIGCONT');
  const resumedAt = Date.now();
  await sleep(3_000);
  running = false;
  await loading;
  const outcome = await collectOutcome(world, load.accepted, 90);
  // To other workers, calls in flight when it stopped look broken off.
  const brokenOff = (first: number) => first > stalledAt - 2_000 && first <= stalledAt + 500;
  const unexplained = outcome.duplicates.filter(([first]) => !first || !brokenOff(first.at));
  const afterwards = outcome.duplicates.filter((sends) => sends.some(({ at }, n) => n > 0 && at >= resumedAt));
  report('a stalled worker', `one of 2 stopped for ${stall_s} s with up to 40 calls under way`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `${countDuplicates(outcome.duplicates)} calls broke off`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(unexplained).toEqual([]);
  expect(afterwards).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBeLessThanOrEqual(40);
  const left = await world.query('select 1 from delivery_queue');
  expect(left).toEqual([]);
});
