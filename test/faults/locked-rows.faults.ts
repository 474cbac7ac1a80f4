import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

/** Another session has locked rows, as a process does that stands still within a transaction. */

const plans = 1_000;
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';
let database: OwnDatabase;
let world: World;
let locker: pg.Client;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url, processes: ['api', 'worker'] });
  locker = new pg.Client({ connectionString: database.url });
  await locker.connect();
  await locker.query('set idle_in_transaction_session_timeout = 0');
}, 120_000);

afterAll(async () => {
  await locker?.end();
  await world?.close();
  await database?.stop();
});

it('locked messages delay their own receipts and results, and those of no others', async () => {
  const [owner, neighbour] = [await world.aSender('Locked'), await world.aSender('Neighbour')];
  const locked = new Load(() => world.api.port);
  const others = new Load(() => world.api.port);
  world.provider.receiptAfter = () => 3_000;
  await locked.sendAll(owner, 5, 5);
  const ids = [...locked.accepted];
  await until(async () => (await countOf('notifications', ids, "status = 'sending'")) === ids.length);
  await locker.query('begin');
  await locker.query('select 1 from notifications where id = any ($1) order by id for update', [ids]);
  await others.sendFor(neighbour, 20, 6);
  await others.sendFor(owner, 20, 2);
  const waiting = [...others.accepted];
  await until(async () => (await countOf('notifications', waiting, "status = 'delivered'")) === waiting.length);
  const meanwhile = await countOf('notifications', waiting, "status = 'delivered'");
  const lockedDone = await countOf('notifications', ids, "status = 'delivered'");
  await locker.query('commit');
  const outcome = await collectOutcome(world, new Set([...ids, ...waiting]), 90);
  report('locked messages', `${ids.length} rows of sent messages locked by another session`, outcome, [
    `${meanwhile} of ${waiting.length} receipts of other messages recorded meanwhile`,
  ]);
  expect([meanwhile, lockedDone]).toEqual([waiting.length, 0]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
});

it('a service whose counter is locked delays the channel plans of no others', async () => {
  world.provider.receiptAfter = () => 200;
  const [owner, neighbour] = [await world.aSender('Many plans'), await world.aSender('One plan')];
  const [ofOwner, ofNeighbour] = [await aPlan(owner), await aPlan(neighbour)];
  // The rows of the counters must exist.
  const first = new Load(() => world.api.port);
  for (const sender of [owner, neighbour]) await first.send(sender);
  await locker.query('begin');
  await locker.query('select 1 from daily_message_counts where service_id = $1 for update', [owner.service_id]);
  const due = Date.now() + 60_000;
  await sendPlanned(owner, ofOwner, plans, due);
  await sendPlanned(neighbour, ofNeighbour, 20, due + 1_000);
  await sleep(due + 1_000 - Date.now());
  const isDelivered = () => countOf('plan_messages', [neighbour.service_id], "status = 'delivered'", 'service_id');
  await until(async () => (await isDelivered()) === 20, 15_000);
  const [seconds, before] = [(Date.now() - due - 1_000) / 1_000, await isDelivered()];
  const ownerBefore = await countOf('plan_messages', [owner.service_id], "status = 'delivered'", 'service_id');
  await locker.query('commit');
  const services = [owner.service_id, neighbour.service_id];
  await until(
    async () => (await countOf('plan_messages', services, "status = 'delivered'", 'service_id')) === 220,
    120_000,
  );
  const rows = await world.query<{ id: string }>('select id from notifications where service_id = any ($1)', [
    services,
  ]);
  const outcome = await collectOutcome(world, new Set(rows.map(({ id }) => id)), 90);
  report('a locked counter', `${plans} plan messages of the service due before 20 of another`, outcome, [
    `${before} of the 20 delivered while it was locked, after ${seconds.toFixed(1)} s`,
  ]);
  expect([before, ownerBefore]).toEqual([20, 0]);
  expect(rows).toHaveLength(plans + 22);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
}, 600_000);

async function aPlan({ service_id, template_id }: Sender): Promise<string> {
  const steps = [
    { channel: 'sms', template_id, wait_h: 24 },
    { channel: 'sms', template_id, wait_h: null },
  ];
  const plan = { name: 'Twice', steps, created_by: platformUser };
  const { data } = (await world.admin(`/service/${service_id}/channel-plan`, plan)) as { data: { id: string } };
  return data.id;
}

/** All of them, 20 at once, to start at a moment. */
async function sendPlanned({ key }: Sender, plan_id: string, count: number, due: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const scheduled_for = new Date(due).toISOString();
  const body = JSON.stringify({ plan_id, recipient: { phone_number: '07700900123' }, scheduled_for });
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const response = await fetch(`${world.api.url}/v2/messages`, { method: 'POST', headers, body });
      expect([response.status, await response.text()]).toEqual([201, expect.anything()]);
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
}

async function countOf(table: string, ids: string[], condition: string, column = 'id'): Promise<number> {
  const [found] = await world.query<{ count: number }>(
    `select count(*)::int as count from ${table} where ${column} = any ($1) and ${condition}`,
    [ids],
  );
  return found?.count ?? 0;
}

/** Gives up in the end, so that the expectations say what is missing. */
async function until(done: () => Promise<boolean>, for_ms = 20_000): Promise<void> {
  for (const end = Date.now() + for_ms; Date.now() < end && !(await done()); ) await sleep(200);
}
