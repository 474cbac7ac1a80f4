import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

const services = 100;
const each = 20;
let world: World;

beforeAll(async () => {
  world = await World.start({ processes: ['api', 'api', 'worker', 'worker'] });
  world.provider.gateways.delay_ms = 100;
  world.provider.receiptAfter = () => 12_000;
}, 120_000);
afterAll(() => world?.close());

it('100 services at once, and a killed worker: nothing is lost, and every figure is correct', async () => {
  const senders: Sender[] = [];
  for (let made = 0; made < services; made += 1) senders.push(await world.aSender(`Service ${made}`));
  let turn = 0;
  const load = new Load(() => world.apis[turn++ % 2]?.port ?? 0);
  const sending = Promise.all(senders.map((sender) => load.sendAll(sender, each, 1)));
  await sleep(2_000);
  const killedAt = Date.now();
  world.workers[0]?.kill();
  await sending;
  const outcome = await collectOutcome(world, load.accepted, 120);
  const unexplained = outcome.duplicates.filter(([first]) => !first || Math.abs(first.at - killedAt) > 2_000);
  const wrong = await world.query(
    `select service_id from status_counts group by service_id
    having sum(count) filter (where status = 'delivered') <> ${each} or sum(count) <> ${each}`,
  );
  const slowest = Math.max(...world.provider.sends.map(({ at }) => at)) - killedAt;
  report('100 services', `${each} messages of each through 2 APIs, one of 2 workers killed`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `last call ${slowest} ms after the kill`,
  ]);
  expect(Object.keys(load.responses)).toEqual(['201']);
  expect(outcome.lost).toEqual([]);
  expect(unexplained).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBeLessThanOrEqual(200);
  expect(wrong).toEqual([]);
});
