import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.start({ env: { DELIVERY_CONCURRENCY: '100' } });
}, 120_000);
afterAll(() => world?.close());

it('a provider hangs: requests are still accepted, and every message is delivered in the end', async () => {
  const sender = await world.aSender('Hanging', { callbackPath: '/hook' });
  const load = new Load(() => world.api.port);
  const hung: string[] = [];
  let hanging = true;
  world.provider.answer = ({ reference }) => {
    if (!hanging) return 'accept';
    hung.push(reference);
    return 'never answer';
  };
  world.provider.receiptAfter = () => (hanging ? undefined : 100);
  // Three times as many as there are slots for calls.
  const loading = load.sendFor(sender, 40, 8);
  await sleep(8_500);
  hanging = false;
  await loading;
  const outcome = await collectOutcome(world, load.accepted);
  report('provider hangs', `8 s without a response, ${hung.length} calls hung, 100 slots`, outcome, [
    `API p99 ${load.quantile(0.99)} ms`,
    `last final after ${outcome.seconds} s`,
  ]);
  expect(hung.length).toBeGreaterThan(50);
  expect(Object.keys(load.responses)).toEqual(['201']);
  expect(load.quantile(0.99)).toBeLessThan(1_000);
  expect(outcome.lost).toEqual([]);
  // The result of a call that hung is unknown, so each may be retried once, with the same reference.
  expect(countDuplicates(outcome.duplicates)).toBeLessThanOrEqual(hung.length);
  expect(outcome.duplicates.filter(([first]) => !hung.includes(first?.reference ?? ''))).toEqual([]);
});
