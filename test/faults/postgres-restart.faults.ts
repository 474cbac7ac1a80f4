import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import type { Supervised } from './kit/supervised.ts';
import { World } from './kit/world.ts';

const restarts = 3;
let database: OwnDatabase;
let world: World;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url });
  world.provider.gateways.delay_ms = 250;
}, 120_000);

afterAll(async () => {
  await world?.close();
  await database?.stop();
});

it('PostgreSQL restarts: 503 while it is down, then everything recovers by itself', async () => {
  const sender = await world.aSender('Restarts', { callbackPath: '/hook' });
  const load = new Load(() => world.api.port);
  const outages_ms: number[] = [];
  let running = true;
  const loading = load.sendSteadily(sender, 40, () => running);
  for (let restart = 0; restart < restarts; restart += 1) {
    await sleep(2_500);
    const stopped = Date.now();
    // A fast shutdown, as packages and operators do it: sessions end at once, committed data is kept.
    database.signal('SIGINT');
    await sleep(300);
    const before = load.accepted.size;
    while (load.accepted.size === before) await sleep(10);
    outages_ms.push(Date.now() - stopped);
  }
  await sleep(1_000);
  running = false;
  await loading;
  const outcome = await collectOutcome(world, load.accepted);
  report('PostgreSQL restart', `${restarts} fast shutdowns under 40 messages/s`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `longest outage ${Math.max(...outages_ms)} ms`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect(Object.keys(load.responses).sort()).toEqual(['201', '503']);
});

it('PostgreSQL hangs: readiness fails, requests wait, and nothing is lost', async () => {
  const sender = await world.aSender('Hangs');
  const load = new Load(() => world.api.port);
  const loading = load.sendFor(sender, 40, 7);
  await sleep(1_000);
  // The whole server is stopped, with its connections open.
  database.signalAll('SIGSTOP');
  await sleep(1_000);
  const ready = await world.api.isReady();
  await sleep(1_000);
  database.signalAll('SIGCONT');
  await loading;
  const outcome = await collectOutcome(world, load.accepted);
  report('PostgreSQL hangs', 'stopped in its tracks for 5 s under 40 messages/s', outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `longest response ${load.quantile(1)} ms`,
  ]);
  expect(ready).toBe(false);
  expect(Object.keys(load.responses).filter((status) => !['201', '503'].includes(status))).toEqual([]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

it('PostgreSQL hangs in the second in which a worker starts: the process stays, and works afterwards', async () => {
  const sender = await world.aSender('Starts');
  const load = new Load(() => world.apis[0]?.port ?? 0);
  const [worker] = world.workers as [Supervised];
  const pids: [number, number][] = [];
  for (const after_ms of [0, 100, 300]) {
    await worker.restart();
    await sleep(after_ms);
    const { pid } = worker;
    database.signalAll('SIGSTOP');
    // Until the connections to it are closed, and the queue is replaced.
    await sleep(12_000);
    database.signalAll('SIGCONT');
    await world.untilReady();
    await load.sendFor(sender, 20, 2);
    pids.push([pid, worker.pid]);
  }
  const outcome = await collectOutcome(world, load.accepted);
  report('PostgreSQL hangs while a worker starts', `3 starts, stopped in its tracks for 12 s`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `${pids.filter(([first, last]) => first !== last).length} of 3 processes ended`,
  ]);
  for (const [first, last] of pids) expect(last).toBe(first);
  expect(outcome.lost).toEqual([]);
});
