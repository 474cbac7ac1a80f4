import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const done = 200_000;
let database: OwnDatabase;
let world: World;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url });
}, 120_000);

afterAll(async () => {
  await world?.close();
  await database?.stop();
});

it('an old snapshot keeps dead rows in the index: new messages are delivered as fast as before', async () => {
  const sender = await world.aSender('Snapshot');
  const before = new Load(() => world.api.port);
  await before.sendFor(sender, 20, 5);
  const snapshot = new pg.Client({ connectionString: database.url });
  await snapshot.connect();
  await snapshot.query('begin isolation level repeatable read read only');
  await snapshot.query('select count(*) from services');
  // As if the service had sent this many messages since the snapshot was taken.
  await world.query(
    `insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at, leased_by)
    select gen_random_uuid(), $1, 'sms', 1, now() - interval '10 minutes' - n * interval '1 millisecond', gen_random_uuid()
    from generate_series(1, ${done}) as n`,
    [sender.service_id],
  );
  await world.query('delete from delivery_queue where service_id = $1 and leased_by is not null', [sender.service_id]);
  const load = new Load(() => world.api.port);
  await load.sendFor(sender, 20, 20);
  const outcome = await collectOutcome(world, new Set([...before.accepted, ...load.accepted]));
  await snapshot.end();
  const p95 = async ({ accepted }: Load) => {
    const [row] = await world.query<{ p95: number }>(
      `select percentile_cont(0.95) within group (order by extract(epoch from sent_at - created_at))::float8 as p95
      from notifications where id = any ($1::uuid[])`,
      [[...accepted]],
    );
    return Math.round((row?.p95 ?? 0) * 1_000);
  };
  const [alone_ms, beside_ms] = [await p95(before), await p95(load)];
  report('an old snapshot', `held while ${done} messages were done, then 20 messages/s`, outcome, [
    `accepted to provider p95 ${beside_ms} ms, without it ${alone_ms} ms`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBe(0);
  expect(beside_ms).toBeLessThan(Math.max(1_000, alone_ms * 3));
});
