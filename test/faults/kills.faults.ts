import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/**
 * Under steady load the API, the workers and PostgreSQL are killed at random, without warning. Afterwards no message with
 * a 201 response may be missing, unfinished or sent twice without a killed attempt to explain it.
 */

const seconds = Number(process.env.FAULT_SECONDS ?? 60);
const perSecond = 40;
const victims = ['api', 'worker', 'postgres'] as const;

const kills: { victim: (typeof victims)[number]; at: number }[] = [];
let database: OwnDatabase;
let world: World;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url, processes: ['api', 'worker', 'worker'] });
  // Long enough for many attempts to be in flight when a process is killed.
  world.provider.gateways.delay_ms = 250;
  // Some receipts come only after a dead worker's lease has expired: then only the reference identifies the message.
  world.provider.receiptAfter = () => (Math.random() < 0.3 ? 12_000 : 200 + Math.random() * 500);
}, 120_000);

afterAll(async () => {
  await world?.close();
  await database?.stop();
});

it('random kills: no message is lost, and every duplicate has a cause', async () => {
  const sender = await world.aSender('Faults', { callbackPath: '/hook' });
  const load = new Load(() => world.api.port);
  await Promise.all([load.sendFor(sender, perSecond, seconds), killAtRandom(Date.now() + seconds * 1_000)]);
  await world.untilReady();
  const outcome = await collectOutcome(world, load.accepted, 120);

  const { duplicates } = outcome;
  const unexplained = duplicates.filter((sends) =>
    sends.some(({ at }, n) => n > 0 && !killBetween(sends[n - 1]?.at, at)),
  );
  const told = new Set(world.sink.calls.map(({ body }) => JSON.parse(body).id as string));
  const killed = victims.map((name) => `${kills.filter(({ victim }) => victim === name).length} ${name}`).join(', ');
  report('kill -9 at random', `${kills.length} kills in ${seconds} s: ${killed}`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `last final after ${outcome.seconds} s`,
  ]);
  expect(load.accepted.size).toBeGreaterThan(seconds * 10);
  expect(outcome.lost).toEqual([]);
  expect(unexplained).toEqual([]);
  expect([...load.accepted].filter((id) => !told.has(id))).toEqual([]);
  expect(Object.keys(load.responses).filter((status) => !['201', '503', 'no response'].includes(status))).toEqual([]);
});

async function killAtRandom(end: number): Promise<void> {
  await sleep(2_000);
  while (Date.now() < end - 1_000) {
    const victim = victims[Math.floor(Math.random() * victims.length)] ?? 'worker';
    kills.push({ victim, at: Date.now() });
    if (victim === 'api') world.api.kill();
    else if (victim === 'worker') world.workers[Math.floor(Math.random() * world.workers.length)]?.kill();
    else database.signal('SIGKILL');
    await sleep(1_500 + Math.random() * 4_000);
  }
}

/** A duplicate is explained by a worker or a database that died during the previous attempt. */
function killBetween(first = 0, second: number): boolean {
  return kills.some(({ victim, at }) => victim !== 'api' && at >= first - 1_000 && at <= second);
}
