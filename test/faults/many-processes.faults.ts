import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  // Two workers at this rate need a while for the queue.
  world = await World.start({ processes: ['api', 'api', 'worker', 'worker'], env: { PROVIDER_RATES: 'mmg:100' } });
}, 120_000);
afterAll(() => world?.close());

/** Requests alternate between both. */
function bothApis(): () => number {
  let turn = 0;
  return () => world.apis[turn++ % 2]?.port ?? 0;
}

it('limits are exact across processes', async () => {
  const daily = await world.aSender('Daily', { limits: { sms_message_limit: 300 } });
  const rated = await world.aSender('Rated', { limits: { rate_limit: 100 } });
  const [dailyLoad, ratedLoad] = [new Load(bothApis()), new Load(bothApis())];
  await Promise.all([dailyLoad.sendAll(daily, 1_200, 60), ratedLoad.sendAll(rated, 800, 40)]);
  const outcome = await collectOutcome(world, new Set([...dailyLoad.accepted, ...ratedLoad.accepted]));
  report(
    'limits across processes',
    'through 2 APIs at once: 1,200 at a daily limit of 300, 800 at 100 a minute',
    outcome,
    [`daily ${JSON.stringify(dailyLoad.responses)}, rate ${JSON.stringify(ratedLoad.responses)}`],
  );
  expect(dailyLoad.responses).toEqual({ 201: 300, 429: 900 });
  expect(ratedLoad.responses).toEqual({ 201: 100, 429: 700 });
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

it('a service with a long queue does not starve another, with any number of workers', async () => {
  const [big, small] = [await world.aSender('Big'), await world.aSender('Small')];
  const [bigLoad, smallLoad] = [new Load(bothApis()), new Load(bothApis())];
  for (const worker of world.workers) worker.signal('SIGSTOP');
  await bigLoad.sendAll(big, 1_500, 60);
  await smallLoad.sendAll(small, 100, 20);
  for (const worker of world.workers) worker.signal('SIGCONT');
  const handedOver = ({ accepted }: Load) => world.provider.sends.filter((send) => accepted.has(send.reference)).length;
  const started = Date.now();
  while (handedOver(smallLoad) < 100 && Date.now() - started < 30_000) await sleep(20);
  const waited_ms = Date.now() - started;
  const ahead = handedOver(bigLoad);
  const outcome = await collectOutcome(world, new Set([...bigLoad.accepted, ...smallLoad.accepted]));
  report('fairness across processes', '1,500 of one service queued before 100 of another, 2 workers', outcome, [
    `the 100 were handed over within ${waited_ms} ms, ${ahead} of the 1,500 in that time`,
  ]);
  expect(ahead).toBeLessThan(500);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

it('a key that is revoked through one API is rejected by the other within a second', async () => {
  const { service_id, key, template_id } = await world.aSender('Revoked');
  const [one, other] = world.apis;
  const load = new Load(() => other?.port ?? 0);
  expect(await load.send({ service_id, key, template_id })).toBe('201');
  const [row] = await world.query<{ id: string }>('select id from api_keys where service_id = $1', [service_id]);
  await world.admin(`/service/${service_id}/api-key/revoke/${row?.id}`, {}, one);
  const revoked = Date.now();
  while ((await load.send({ service_id, key, template_id })) === '201') await sleep(5);
  expect(Date.now() - revoked).toBeLessThan(1_000);
  expect(load.responses['403']).toBe(1);
});
