import { afterAll, beforeAll, expect, it } from 'vitest';
import { Balancer } from './kit/balancer.ts';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const dailyLimit = 300;
let world: World;
let balancer: Balancer;

beforeAll(async () => {
  world = await World.start({ processes: ['api', 'api', 'worker', 'worker'], env: { DRAIN_DELAY_S: '1' } });
  world.provider.gateways.delay_ms = 250;
  balancer = new Balancer(world.apis);
  await balancer.untilReady(2);
}, 120_000);
afterAll(async () => {
  await balancer?.close();
  await world?.close();
});

it('two APIs and two workers are restarted one after the other: no request fails, limits stay exact', async () => {
  const sender = await world.aSender('Rolling', { callbackPath: '/hook' });
  const limited = await world.aSender('Limited', { limits: { sms_message_limit: dailyLimit } });
  const load = new Load(() => balancer.port());
  const limitedLoad = new Load(() => balancer.port());
  let restarting = true;
  const loading = [
    load.sendSteadily(sender, 100, () => restarting),
    limitedLoad.sendSteadily(limited, 40, () => restarting || limitedLoad.accepted.size < dailyLimit),
  ];
  for (const process of world.processes) {
    await process.restart();
    if (process.role === 'api') await balancer.untilReady(2);
  }
  restarting = false;
  await Promise.all(loading);
  const outcome = await collectOutcome(world, new Set([...load.accepted, ...limitedLoad.accepted]));
  report('rolling restart', '2 APIs and 2 workers, one after the other, under 140 requests/s', outcome, [
    `responses ${JSON.stringify(load.responses)}, p99 ${load.quantile(0.99)} ms`,
    `daily limit ${dailyLimit}: ${JSON.stringify(limitedLoad.responses)}`,
  ]);
  expect(Object.keys(load.responses)).toEqual(['201']);
  expect(Object.keys(limitedLoad.responses).sort()).toEqual(['201', '429']);
  expect(limitedLoad.accepted.size).toBe(dailyLimit);
  expect(world.processes.map(({ exitCodes }) => exitCodes)).toEqual([[0], [0], [0], [0]]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});
