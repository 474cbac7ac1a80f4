import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.start({
    processes: ['api', 'worker', 'worker'],
    env: { DELIVERY_MAX_RETRIES: '3', DELIVERY_RETRY_DELAY_S: '2' },
  });
}, 120_000);
afterAll(() => world?.close());

it('messages that cannot be composed fail, and do not delay others', async () => {
  const [poisoned, healthy] = [
    await world.aSender('Poisoned', { callbackPath: '/poisoned' }),
    await world.aSender('Healthy'),
  ];
  const [bad, good] = [new Load(() => world.api.port), new Load(() => world.api.port)];
  for (const worker of world.workers) worker.signal('SIGSTOP');
  await bad.sendAll(poisoned, 50, 10);
  await world.query('update notifications set template_version = 99 where service_id = $1', [poisoned.service_id]);
  for (const worker of world.workers) worker.signal('SIGCONT');
  await good.sendFor(healthy, 40, 8);
  const outcome = await collectOutcome(world, good.accepted);
  const ended = async () => {
    const rows = await world.query<{ status: string }>('select status from notifications where service_id = $1', [
      poisoned.service_id,
    ]);
    return rows.filter(({ status }) => status === 'technical-failure').length;
  };
  const isTold = async () =>
    (await world.query("select 1 from service_callbacks where status = 'waiting'")).length === 0;
  for (let waited = 0; waited < 60_000 && !((await ended()) === 50 && (await isTold())); waited += 500)
    await sleep(500);
  const calls = world.sink.calls.filter(({ path }) => path === '/poisoned');
  // A callback may be repeated when recording its response is late; every message has at least one.
  const told = new Set(calls.map(({ body }) => JSON.parse(body).id)).size;
  const announced = await world.query('select 1 from service_callbacks where service_id = $1', [poisoned.service_id]);
  report('messages that cannot be composed', '50 of one service, while another sends 40/s; 3 retries', outcome, [
    `${await ended()} ended as technical-failure, ${announced.length} callbacks`,
    `API p99 ${good.quantile(0.99)} ms`,
  ]);
  expect(await ended()).toBe(50);
  expect(announced).toHaveLength(50);
  expect(told).toBe(50);
  expect(await world.query('select 1 from delivery_queue')).toEqual([]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});
