import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { cloneDatabase } from '../kit/process/database.ts';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { isPgBouncerInstalled, PgBouncer } from './kit/pgbouncer.ts';
import { report, reportNotRun } from './kit/report.ts';
import { World } from './kit/world.ts';

const scenario = 'PgBouncer restart';
const restarts = 3;
let world: World | undefined;
let bouncer: PgBouncer | undefined;
let database: Awaited<ReturnType<typeof cloneDatabase>> | undefined;

afterAll(async () => {
  await world?.close();
  await bouncer?.stop();
  await database?.drop();
});

it('behind PgBouncer in transaction mode, restarted under load', async () => {
  if (!isPgBouncerInstalled()) return reportNotRun(scenario, 'there is no pgbouncer (Debian: apt install pgbouncer)');
  database = await cloneDatabase();
  bouncer = await PgBouncer.start(database.url);
  const env = { DATABASE_URL: bouncer.url, DATABASE_SESSION_URL: database.url, DATABASE_POOL_SIZE: '20' };
  world = await World.start({ processes: ['api', 'api', 'worker'], databaseUrl: database.url, env });
  const { apis } = world;
  const sender = await world.aSender('Bounced', { callbackPath: '/hook' });
  const load = new Load(() => apis[load.accepted.size % apis.length]?.port ?? 0);
  let running = true;
  const loading = load.sendSteadily(sender, 60, () => running);
  for (let restart = 0; restart < restarts; restart += 1) {
    await sleep(2_500);
    await bouncer.restart();
  }
  await sleep(2_500);
  running = false;
  await loading;
  const outcome = await collectOutcome(world, load.accepted);
  report(scenario, `${restarts} of them, in transaction mode with 8 connections, under 60 messages/s`, outcome, [
    `responses ${JSON.stringify(load.responses)}`,
    `p99 ${load.quantile(0.99)} ms`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect(Object.keys(load.responses).filter((status) => !['201', '503'].includes(status))).toEqual([]);
});
