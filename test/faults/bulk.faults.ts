import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectOutcome } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { RandomKills } from './kit/random-kills.ts';
import { report } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

/**
 * Two files are uploaded, accepted, turned into notifications and sent, and the second one is cancelled, while the API, the
 * workers and PostgreSQL are killed at random. Afterwards every row of the first file is exactly one notification and was sent,
 * no cancelled row was sent, and all counts agree.
 */

const rows = Number(process.env.FAULT_ROWS ?? 20_000);
const minKills = 6;
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';

let database: OwnDatabase;
let world: World;
let kills: RandomKills;
let sender: Sender;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url, processes: ['api', 'worker', 'worker'] });
  kills = new RandomKills(world, database);
  sender = await world.aSender('Bulk', { limits: { sms_message_limit: 20 * rows } });
}, 120_000);

afterAll(async () => {
  await kills?.stop();
  await world?.close();
  await database?.stop();
});

it('random kills during bulk sends: no row is lost or doubled, and all counts agree', async () => {
  kills.start();
  const sent = await upload();
  await start(sent);
  await until(async () => (await jobRow(sent))?.status === 'finished all notifications created');
  const cancelled = await uploadAndCancel();
  await until(async () => kills.count >= minKills);
  await kills.stop();
  await until(async () => (await countsOf(cancelled)).waiting === 0);
  const outcome = await collectOutcome(world, new Set(await idsOf(sent)), 600);

  const first = await countsOf(sent);
  const second = await countsOf(cancelled);
  const cancelledIds = new Set(await idsOf(cancelled, 'cancelled'));
  const sentAlthoughCancelled = world.provider.sends.filter(({ reference }) => cancelledIds.has(reference));
  const [day] = await query<{ count: number; rows_done: number }>(
    `select (select sum(count)::int from daily_message_counts where service_id = $1 and channel = 'sms') as count,
      (select sum(rows_done)::int from jobs where service_id = $1) as rows_done`,
    [sender.service_id],
  );
  report('kill -9 during bulk sends', `2 files of ${rows} rows, ${kills.describe()}`, outcome, [
    `${rows} rows, ${first.notifications} notifications, ${first.distinct} different rows`,
    `second file cancelled after ${second.rows_done} rows, ${cancelledIds.size} of them not sent`,
  ]);
  expect(first).toMatchObject({ rows_done: rows, notifications: rows, distinct: rows, counted: rows });
  expect(outcome.lost).toEqual([]);
  expect(kills.unexplained(outcome)).toEqual([]);
  expect((await jobRow(cancelled))?.status).toBe('cancelled');
  expect(second.notifications).toBe(second.rows_done);
  expect(second.distinct).toBe(second.rows_done);
  expect(second.counted).toBe(second.rows_done);
  expect(sentAlthoughCancelled).toEqual([]);
  // What was never handed over is given back.
  expect(day?.count).toBe((day?.rows_done ?? 0) - cancelledIds.size);
}, 1_500_000);

/** Again, if all rows of the file were notifications before it could be cancelled. */
async function uploadAndCancel(): Promise<string> {
  for (;;) {
    const id = await upload();
    await start(id);
    await until(async () => ((await jobRow(id))?.rows_done ?? 0) > 0);
    await cancel(id);
    if ((await jobRow(id))?.status === 'cancelled') return id;
  }
}

/** Retries as a front end does, until the upload is complete. */
async function upload(): Promise<string> {
  // Not the simulated numbers, which no provider sees.
  const lines = Array.from({ length: rows }, (_, row) => `07700900${300 + (row % 600)},${row}`);
  const file = ['phone number,reference', ...lines].join('\n');
  const path = `/service/${sender.service_id}/upload?filename=people.csv&template_id=${sender.template_id}`;
  for (;;) {
    const response = await world.call(path, file).catch(() => undefined);
    if (response?.status === 201) return ((await response.json()) as { data: { id: string } }).data.id;
    expect([undefined, 408, 503]).toContain(response?.status);
    await sleep(200);
  }
}

async function start(id: string): Promise<void> {
  await retry(`/service/${sender.service_id}/job`, { id, created_by: platformUser }, [201, 400]);
}

async function cancel(id: string): Promise<void> {
  await retry(`/service/${sender.service_id}/job/${id}/cancel`, {}, [200, 404]);
}

/** A second success is a refusal: the first response was lost. */
async function retry(path: string, body: object, ended: number[]): Promise<void> {
  for (;;) {
    const response = await world.call(path, JSON.stringify(body)).catch(() => undefined);
    if (response && ended.includes(response.status)) return;
    expect([undefined, 408, 503]).toContain(response?.status);
    await sleep(200);
  }
}

/** PostgreSQL may be down. */
async function query<Row extends Record<string, unknown>>(text: string, values: unknown[]): Promise<Row[]> {
  for (;;) {
    const found = await world.query<Row>(text, values).catch(() => undefined);
    if (found) return found;
    await sleep(200);
  }
}

async function jobRow(id: string) {
  const [job] = await query<{ status: string; rows_done: number }>('select status, rows_done from jobs where id = $1', [
    id,
  ]);
  return job;
}

async function idsOf(job: string, status = '%'): Promise<string[]> {
  const found = await query<{ id: string }>('select id from notifications where job_id = $1 and status like $2', [
    job,
    status,
  ]);
  return found.map(({ id }) => id);
}

async function countsOf(id: string) {
  const [counts] = await query<{
    rows_done: number;
    notifications: number;
    distinct: number;
    counted: number;
    waiting: number;
  }>(
    `select rows_done,
      (select count(*)::int from notifications where job_id = jobs.id) as notifications,
      (select count(distinct job_row_number)::int from notifications where job_id = jobs.id) as distinct,
      (select coalesce(sum(count), 0)::int from job_statuses where job_id = jobs.id) as counted,
      (select count(*)::int from notifications where job_id = jobs.id and status = 'created') as waiting
    from jobs where id = $1`,
    [id],
  );
  if (!counts) throw new Error('The job was lost');
  return counts;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(200);
}
