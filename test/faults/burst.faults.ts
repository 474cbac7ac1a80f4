import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const limit = 600;
let world: World;

beforeAll(async () => {
  world = await World.start({ processes: ['api', 'api', 'worker'] });
}, 120_000);
afterAll(() => world?.close());

it('ten times the rate limit at once: the limit is exact, the rest gets 429, other services are not affected', async () => {
  const noisy = await world.aSender('Noisy', { callbackPath: '/hook', limits: { rate_limit: limit } });
  const neighbour = await world.aSender('Neighbour');
  const burst = new Load(() => world.api.port);
  const beside = new Load(() => world.api.port);
  // Not a cold start: then the first seconds measure the compiler.
  const before = new Load(() => world.api.port);
  await before.sendAll(neighbour, 1_000, 20);
  let bursting = true;
  const neighbouring = beside.sendSteadily(neighbour, 40, () => bursting);
  const started = Date.now();
  await burst.sendAll(noisy, 10 * limit, 100);
  const took = Date.now() - started;
  bursting = false;
  await neighbouring;
  const outcome = await collectOutcome(world, new Set([...before.accepted, ...burst.accepted, ...beside.accepted]));
  report('burst of 10 times the rate limit', `${10 * limit} requests in ${took} ms, limit ${limit} a minute`, outcome, [
    `responses ${JSON.stringify(burst.responses)}`,
    `neighbour ${JSON.stringify(beside.responses)}, p99 ${beside.quantile(0.99)} ms`,
  ]);
  expect(took).toBeLessThan(60_000);
  expect(burst.accepted.size).toBeGreaterThanOrEqual(limit);
  expect(burst.accepted.size).toBeLessThanOrEqual(limit * 1.05);
  expect(Object.keys(burst.responses).sort()).toEqual(['201', '429']);
  expect(Object.keys(beside.responses)).toEqual(['201']);
  expect(beside.quantile(0.99)).toBeLessThan(1_000);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});
