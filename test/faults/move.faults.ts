import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseNamed } from '../kit/database-url.ts';
import { processEnvironment } from '../kit/process-environment.ts';
import { Load } from './kit/load.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { type Reckoning, reckon } from './kit/reckoning.ts';
import { report } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

/**
 * A service sends 200 messages a second and is moved to another store and back, while the command that moves it, the API, the workers and
 * PostgreSQL are killed at random. The command is repeated, as the operator does. Afterwards every accepted message was sent once, and
 * messages, limits and statistics agree.
 */

const perSecond = Number(process.env.FAULT_RATE ?? 200);
const moves = Number(process.env.FAULT_MOVES ?? 4);
const victims = ['command', 'api', 'worker', 'postgres'] as const;
const stores = [0, 1, 2];

const kills: { victim: (typeof victims)[number]; at: number }[] = [];
const pauses: number[] = [];
let database: OwnDatabase;
let world: World;
let sender: Sender;
let environment: Record<string, string>;
let command: ReturnType<typeof spawn> | undefined;

const urlOf = (store: number) => (store === 0 ? database.url : databaseNamed(database.url, `store_${store}`));

beforeAll(async () => {
  database = await OwnDatabase.start();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const store of [1, 2]) await client.query(`create database store_${store}`);
  await client.end();
  environment = {
    DATABASE_URL: database.url,
    MESSAGE_STORES: [1, 2].map((store) => `${store}=${urlOf(store)}`).join(' '),
    SECRET_KEY: 'secret-key-of-the-fault-tests-which-is-long-enough',
  };
  for (const store of [1, 2]) expect((await run(['stores', 'add', String(store)])).code).toBe(0);
  world = await World.start({
    databaseUrl: database.url,
    env: { MESSAGE_STORES: environment.MESSAGE_STORES ?? '' },
    processes: ['api', 'worker', 'worker'],
  });
  sender = await world.aSender('Moving', { limits: { sms_message_limit: 10_000_000 } });
}, 120_000);

afterAll(async () => {
  command?.kill('SIGKILL');
  await world?.close();
  await database?.stop();
});

it('a service is moved under load, with kills at random: nothing is lost, doubled or counted twice', async () => {
  const load = new Load(() => world.api.port, { recipient: () => `07700900${300 + Math.floor(Math.random() * 600)}` });
  let sending = true;
  const sent = load.sendSteadily(sender, perSecond, () => sending);
  await sleep(3_000);
  let home = (await homeOf()) ?? 0;
  for (let moved = 0; moved < moves; moved += 1) {
    home = stores[(stores.indexOf(home) + 1) % stores.length] ?? 0;
    await moveTo(home);
    expect(await homeOf()).toBe(home);
  }
  await sleep(2_000);
  sending = false;
  await sent;
  load.close();
  const everywhere = { ...world, query: <Row>(text: string, values: unknown[]) => queryAll<Row>(text, values) };
  const reckoning = await reckon(everywhere as unknown as World, load.accepted, 120);
  const counts = await countsOf();
  report('a service is moved, with kill -9', describeKills(), reckoning, [
    `${moves} moves at ${perSecond} a second`,
    `nothing accepted for ${Math.max(...pauses)} ms at most`,
    `${counts.messages} messages, ${counts.counted} counted, ${counts.limit} of the limit, ${counts.platform} in platform totals`,
  ]);
  expect(reckoning.lost).toEqual([]);
  expect(unexplained(reckoning)).toEqual([]);
  expect(counts.elsewhere).toBe(0);
  expect(counts.messages).toBeGreaterThanOrEqual(load.accepted.size);
  expect(counts).toMatchObject({ counted: counts.messages, limit: counts.messages, platform: counts.messages });
  expect(Math.max(...pauses)).toBeLessThan(2_000);
}, 1_500_000);

/** Repeats the command until it has succeeded; kills something at random while it runs. */
async function moveTo(store: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const running = run(['stores', 'move', sender.service_id, String(store)]);
    // Each move ends without a kill at last.
    if (attempt < 3) void killSoon(attempt < 2 ? 'command' : undefined);
    const { code, out } = await running;
    const pause = /Nothing was accepted for (\d+) ms/.exec(out)?.[1];
    if (pause !== undefined) pauses.push(Number(pause));
    if (code === 0) return;
    if (attempt >= 12) throw new Error(`The service could not be moved: ${out}`);
    await sleep(500);
  }
}

async function killSoon(chosen?: (typeof victims)[number]): Promise<void> {
  await sleep(Math.random() * 6_000);
  const victim = chosen ?? victims[Math.floor(Math.random() * victims.length)] ?? 'command';
  kills.push({ victim, at: Date.now() });
  if (victim === 'command') command?.kill('SIGKILL');
  else if (victim === 'api') world.api.kill();
  else if (victim === 'worker') world.workers[Math.floor(Math.random() * world.workers.length)]?.kill();
  else database.signal('SIGKILL');
}

function run(args: string[]): Promise<{ code: number | null; out: string }> {
  const env = { ...processEnvironment, ...environment };
  const child = spawn(process.execPath, ['dist/main.js', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  command = child;
  let out = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (out += text));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, out })));
}

async function homeOf(): Promise<number | undefined> {
  const found = await world.query<{ store: number }>('select store from service_stores where service_id = $1', [
    sender.service_id,
  ]);
  return found[0]?.store;
}

/** The rows of all stores. */
async function queryAll<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const found: Row[] = [];
  for (const store of stores) {
    const client = new pg.Client({ connectionString: urlOf(store) });
    await client.connect();
    try {
      found.push(...((await client.query(text, values)).rows as Row[]));
    } finally {
      await client.end();
    }
  }
  return found;
}

async function sumOf(text: string): Promise<number> {
  const rows = await queryAll<{ sum: string | null }>(text, text.includes('$1') ? [sender.service_id] : []);
  return rows.reduce((sum, row) => sum + Number(row.sum ?? 0), 0);
}

async function countsOf() {
  const perStore = await queryAll<{ sum: string }>('select count(*) as sum from notifications where service_id = $1', [
    sender.service_id,
  ]);
  const home = stores.indexOf((await homeOf()) ?? 0);
  return {
    messages: Number(perStore[home]?.sum),
    elsewhere: perStore.reduce((sum, row, store) => sum + (store === home ? 0 : Number(row.sum)), 0),
    counted: await sumOf('select sum(count) as sum from status_counts where service_id = $1'),
    limit: await sumOf('select sum(count) as sum from daily_message_counts where service_id = $1'),
    platform: await sumOf(`select (select coalesce(sum(count), 0) from platform_status_totals)
      + (select coalesce(sum(count - folded_count), 0) from status_counts where not folded) as sum`),
  };
}

function describeKills(): string {
  const names = [...new Set(victims)];
  const counts = names.map((name) => `${kills.filter(({ victim }) => victim === name).length} ${name}`);
  return `${kills.length} kills: ${counts.join(', ')}`;
}

/** Messages that were sent again although no worker and no database died meanwhile. */
function unexplained({ duplicates }: Reckoning) {
  const killedBetween = (from: number, to: number) =>
    kills.some(({ victim, at }) => ['worker', 'postgres'].includes(victim) && at >= from - 1_000 && at <= to);
  return duplicates.filter((sends) => sends.some(({ at }, n) => n > 0 && !killedBetween(sends[n - 1]?.at ?? 0, at)));
}
