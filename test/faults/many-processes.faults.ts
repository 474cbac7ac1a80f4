import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { reckon } from './kit/reckoning.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  // Two workers at this pace: a queue that takes a while.
  world = await World.start({ processes: ['api', 'api', 'worker', 'worker'], env: { PROVIDER_RATES: 'mmg:100' } });
}, 120_000);
afterAll(() => world?.close());

/** Requests go to both in turn. */
function bothApis(): () => number {
  let turn = 0;
  return () => world.apis[turn++ % 2]?.port ?? 0;
}

it('limits are exact across processes', async () => {
  const daily = await world.aSender('Daily', { limits: { sms_message_limit: 300 } });
  const rated = await world.aSender('Rated', { limits: { rate_limit: 100 } });
  const [dailyLoad, ratedLoad] = [new Load(bothApis()), new Load(bothApis())];
  await Promise.all([dailyLoad.sendAll(daily, 1_200, 60), ratedLoad.sendAll(rated, 800, 40)]);
  const reckoning = await reckon(world, new Set([...dailyLoad.accepted, ...ratedLoad.accepted]));
  report(
    'limits across processes',
    'through 2 APIs at once: 1,200 at a daily limit of 300, 800 at 100 a minute',
    reckoning,
    [`daily ${JSON.stringify(dailyLoad.answers)}, rate ${JSON.stringify(ratedLoad.answers)}`],
  );
  expect(dailyLoad.answers).toEqual({ 201: 300, 429: 900 });
  expect(ratedLoad.answers).toEqual({ 201: 100, 429: 700 });
  expect(reckoning.lost).toEqual([]);
  expect(reckoning.duplicates).toEqual([]);
});

it('a service with a long queue does not starve another, with any number of workers', async () => {
  const big = await world.aSender('Big');
  const small = await world.aSender('Small');
  const [bigLoad, smallLoad] = [new Load(bothApis()), new Load(bothApis())];
  const begun = world.provider.sends.length;
  await bigLoad.sendAll(big, 2_500, 60);
  await smallLoad.sendAll(small, 100, 20);
  const accepted = Date.now();
  const isSmallDone = () => [...smallLoad.accepted].every((id) => sent().has(id));
  const sent = () => new Set(world.provider.sends.slice(begun).map(({ reference }) => reference));
  while (!isSmallDone() && Date.now() - accepted < 30_000) await sleep(20);
  const waited_ms = Date.now() - accepted;
  const waiting = [...bigLoad.accepted].filter((id) => !sent().has(id)).length;
  const reckoning = await reckon(world, new Set([...bigLoad.accepted, ...smallLoad.accepted]));
  report(
    'fairness across processes',
    '2,500 of one service queued, then 100 of another, 2 workers at 100/s',
    reckoning,
    [`the other’s were all handed over after ${waited_ms} ms, when ${waiting} of the first still waited`],
  );
  expect(waiting).toBeGreaterThan(500);
  expect(reckoning.lost).toEqual([]);
  expect(reckoning.duplicates).toEqual([]);
});
