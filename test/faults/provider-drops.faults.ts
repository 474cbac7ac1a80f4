import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.start({ env: { SMS_PROVIDERS: 'mmg,firetext' } });
}, 120_000);
afterAll(() => world?.close());

it('a provider accepts a message and drops the connection: retried with the same reference, never with another provider', async () => {
  const sender = await world.aSender('Dropping', { callbackPath: '/hook' });
  const load = new Load(() => world.api.port);
  const told = new Set<string>();
  const untold = new Set<string>();
  world.provider.answer = ({ reference }, nth) => {
    if (nth > 1 || Math.random() > 0.5) return 'accept';
    (Math.random() < 0.5 ? told : untold).add(reference);
    return 'hang up';
  };
  world.provider.receiptAfter = (reference, nth) => (nth === 1 && untold.has(reference) ? undefined : 100);
  await load.sendFor(sender, 40, 8);
  const outcome = await collectOutcome(world, load.accepted);
  report('provider drops the connection', `${told.size + untold.size} calls accepted, then cut off`, outcome, [
    `${told.size} of them had a receipt in time and were not repeated`,
  ]);
  expect(told.size).toBeGreaterThan(20);
  expect(untold.size).toBeGreaterThan(20);
  expect(outcome.lost).toEqual([]);
  const repeated = outcome.duplicates.map(([first]) => first?.reference);
  expect(repeated.filter((reference) => !untold.has(reference ?? ''))).toEqual([]);
  for (const sends of outcome.duplicates) {
    expect(sends).toHaveLength(2);
    expect(new Set(sends.map(({ gateway }) => gateway)).size).toBe(1);
  }
});
