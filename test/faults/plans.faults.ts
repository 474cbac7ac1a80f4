import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectOutcome } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { RandomKills } from './kit/random-kills.ts';
import { report } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

/**
 * Messages with a channel plan are accepted and go from step to step, and recurring sends fall due, while the API, the workers
 * and PostgreSQL are killed at random. Afterwards every message has taken exactly the steps that its receipts ask for, each of them
 * once, and every recurring send has made one file whose rows were each sent once.
 */

const messages = Number(process.env.FAULT_ROWS ?? 600);
const minutes = 2;
const sendsPerMinute = 6;
const people = 25;
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';

let database: OwnDatabase;
let world: World;
let kills: RandomKills;
let planned: Sender;
let recurring: Sender;

beforeAll(async () => {
  database = await OwnDatabase.start();
  world = await World.start({ databaseUrl: database.url, processes: ['api', 'worker', 'worker'] });
  kills = new RandomKills(world, database);
  planned = await world.aSender('Planned', { limits: { sms_message_limit: 10 * messages } });
  recurring = await world.aSender('Recurring');
  const { provider } = world;
  // The receipts of some steps come only after the lease of a dead worker has expired.
  provider.receiptAfter = () => (Math.random() < 0.2 ? 12_000 : 200 + Math.random() * 500);
  provider.fails = ({ fields }) => isFirst(String(fields.msg)) && isWrong(String(fields.MSISDN));
}, 120_000);

afterAll(async () => {
  await kills?.stop();
  await world?.close();
  await database?.stop();
});

const isFirst = (text: string) => text.includes('first');
/** Texts of the first step to these numbers fail. */
const isWrong = (number: string) => Number(number.at(-1)) % 2 === 1;

it('random kills: plans take each step once, recurring sends make each file once', async () => {
  const sends = await createRecurringSends();
  const plan_id = await createPlan();
  kills.start();
  const end = Date.now() + minutes * 60_000;
  const accepted = await sendMessages(plan_id, end);
  await sleep(end - Date.now());
  await kills.stop();
  await until(async () => (await unfinishedMessages()) === 0);
  await until(async () => (await unfinishedRuns()) === 0);

  const ids = await world.query<{ id: string }>('select id from notifications where service_id = any ($1)', [
    [planned.service_id, recurring.service_id],
  ]);
  const outcome = await collectOutcome(world, new Set(ids.map(({ id }) => id)), 120);
  const steps = await stepsOfMessages();
  const runs = await runsWithRows();
  report('kill -9 during channel plans and recurring sends', kills.describe(), outcome, [
    `${accepted.size} messages with a plan, ${steps.length} in the database`,
    `${sends.length} recurring sends, ${runs.length} runs`,
  ]);
  expect(outcome.lost).toEqual([]);
  expect(kills.unexplained(outcome)).toEqual([]);
  // One message for each key, however often it was repeated.
  expect(steps.map(({ id }) => id)).toEqual([...accepted.keys()].sort());
  const reached = (id: string) =>
    isWrong(accepted.get(id) ?? '') ? ['failed', 'delivered'] : ['delivered', 'cancelled'];
  expect(steps.filter(({ id, states }) => states.join() !== reached(id).join())).toEqual([]);
  expect(steps.filter(({ states, notifications }) => notifications !== (states[0] === 'failed' ? 2 : 1))).toEqual([]);
  expect(steps.every(({ status }) => status === 'delivered')).toBe(true);
  // No notification that is not the step of a message.
  const started = steps.reduce((sum, { notifications }) => sum + notifications, 0);
  expect(ids).toHaveLength(started + sends.length * people);
  expect(runs.map(({ recurring_id }) => recurring_id)).toEqual([...sends].sort());
  const once = { outcome: 'sent', jobs: 1, rows: people, different: people };
  expect(runs.map(({ recurring_id: _, ...run }) => run)).toEqual(sends.map(() => once));
}, 900_000);

/** In each of the next minutes some. */
async function createRecurringSends(): Promise<string[]> {
  const { service_id, template_id } = recurring;
  const lines = Array.from({ length: people }, (_, row) => `07700900${300 + row}`);
  const file = ['phone number', ...lines].join('\n');
  const uploaded = await world.call(`/service/${service_id}/upload?filename=People.csv&contact_list=true`, file);
  const { data: upload } = (await uploaded.json()) as { data: { id: string } };
  await world.admin(`/service/${service_id}/contact-list`, {
    ...{ id: upload.id, original_file_name: 'People.csv', row_count: people },
    ...{ template_type: 'sms', created_by: platformUser },
  });
  const ids: string[] = [];
  for (let number = 0; number < minutes * sendsPerMinute; number += 1) {
    const due = new Date(Date.now() + (1 + Math.floor(number / sendsPerMinute)) * 60_000).toISOString();
    const { data } = (await world.admin(`/service/${service_id}/recurring-send`, {
      ...{ template_id, contact_list_id: upload.id, created_by: platformUser },
      ...{ rule: 'FREQ=DAILY', starts_on: due.slice(0, 10), at_time: due.slice(11, 16), time_zone: 'UTC' },
    })) as { data: { id: string } };
    ids.push(data.id);
  }
  return ids;
}

async function createPlan(): Promise<string> {
  const { service_id } = planned;
  const template = (content: string) => world.aTemplate(service_id, { template_type: 'sms', content, name: content });
  const steps = [
    { channel: 'sms', template_id: await template('The first text'), wait_h: 24 },
    { channel: 'sms', template_id: await template('The other text'), wait_h: null },
  ];
  const plan = { name: 'Twice', steps, created_by: platformUser };
  const { data } = (await world.admin(`/service/${service_id}/channel-plan`, plan)) as { data: { id: string } };
  return data.id;
}

/** Spread over the time. Returns the number that each accepted message is for. */
async function sendMessages(plan_id: string, end: number): Promise<Map<string, string>> {
  const accepted = new Map<string, string>();
  const pause = (end - Date.now()) / messages;
  const under: Promise<void>[] = [];
  for (let number = 0; number < messages; number += 1) {
    const phone_number = `07700900${300 + (number % 600)}`;
    under.push(send(plan_id, phone_number).then((id) => void accepted.set(id, phone_number)));
    await sleep(pause);
  }
  await Promise.all(under);
  return accepted;
}

/** Repeats the request until it is answered, as a caller does. */
async function send(plan_id: string, phone_number: string): Promise<string> {
  const headers = {
    ...{ authorization: `Bearer ${planned.key}`, 'content-type': 'application/json' },
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({ plan_id, recipient: { phone_number } });
  for (;;) {
    const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) };
    const response = await fetch(`${world.api.url}/v2/messages`, request).catch(() => undefined);
    const answer = await response?.text().catch(() => undefined);
    if (response?.status === 201 && answer !== undefined) return JSON.parse(answer).id;
    if (answer !== undefined) expect([408, 409, 503]).toContain(response?.status);
    await sleep(500);
  }
}

async function countOf(sql: string, id: string): Promise<number> {
  const [found] = await world.query<{ count: number }>(`select count(*)::int as count from ${sql}`, [id]);
  return found?.count ?? 0;
}

function unfinishedMessages(): Promise<number> {
  return countOf("plan_messages where service_id = $1 and status in ('created', 'in-progress')", planned.service_id);
}

/** Lets the leases of killed processes run out, which takes five minutes otherwise. */
async function unfinishedRuns(): Promise<number> {
  await world.query("update recurring_runs set leased_until = now() where outcome = 'started'");
  const isOf = 'recurring_id in (select id from recurring_sends where service_id = $1)';
  const runs = await countOf(`recurring_runs where ${isOf} and outcome = 'started'`, recurring.service_id);
  const rows = await countOf('notifications where service_id = $1', recurring.service_id);
  return runs + Math.max(0, minutes * sendsPerMinute * people - rows);
}

function stepsOfMessages() {
  return world.query<{ id: string; status: string; states: string[]; notifications: number }>(
    `select m.id, m.status, array_agg(s.state order by s.number) as states, count(distinct n.id)::int as notifications
    from plan_messages m join plan_steps s on s.message_id = m.id left join notifications n on n.id = s.notification_id
    where m.service_id = $1 group by m.id order by m.id`,
    [planned.service_id],
  );
}

function runsWithRows() {
  return world.query<{ recurring_id: string; outcome: string; jobs: number; rows: number; different: number }>(
    `select r.recurring_id, r.outcome, count(distinct n.job_id)::int as jobs, count(n.id)::int as rows,
      count(distinct n.job_row_number)::int as different
    from recurring_runs r join recurring_sends s on s.id = r.recurring_id left join notifications n on n.job_id = r.job_id
    where s.service_id = $1 group by r.recurring_id, r.due_at, r.outcome order by r.recurring_id`,
    [recurring.service_id],
  );
}

/** Gives up in the end, so that the expectations say what is missing. */
async function until(done: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 240_000;
  while (!(await done()) && Date.now() < end) await sleep(1_000);
}
