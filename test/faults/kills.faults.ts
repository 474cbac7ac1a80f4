import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../src/operations/sandbox.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { createLog } from '../../src/platform/log.ts';
import { jwt } from '../kit/harness.ts';
import { type CallbackSink, type StubGateways, startCallbackSink, startStubGateways } from '../kit/stub-gateways.ts';
import { Supervised } from './supervised.ts';

/**
 * Under steady load the API, the worker and PostgreSQL are killed at random, without warning. Afterwards nothing that was
 * answered with 201 may be missing, unfinished or sent twice without a killed attempt to explain it.
 */

const seconds = Number(process.env.FAULT_SECONDS ?? 60);
const perSecond = Number(process.env.FAULT_RATE ?? 40);
const adminSecret = 'admin-secret-of-the-fault-test';
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-faults-'));
execFileSync('chmod', ['711', folder]);
let database: EmbeddedPostgres;
let gateways: StubGateways;
let sink: CallbackSink;
let api: Supervised;
let workers: Supervised[];
let sender: { key: string; template_id: string };
const sends: { reference: string; at: number }[] = [];
const kills: { victim: 'api' | 'worker' | 'postgres'; at: number }[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' });
  database = await startEmbeddedPostgres({ dataDir: folder, log: createLog('silent') });
  gateways = await startStubGateways();
  sink = await startCallbackSink();
  const apiPort = await findFreePort();
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: 'secret-key-of-the-fault-test',
    ADMIN_CLIENT_SECRETS: adminSecret,
    BASE_URL: `http://127.0.0.1:${apiPort}`,
    DEMO: 'false',
    LOG_LEVEL: 'silent',
    SMS_PROVIDERS: 'mmg',
    MMG_URL: `${gateways.url}/mmg`,
    MMG_API_KEY: 'x',
    DELIVERY_RETRY_DELAY_S: '2',
    CALLBACK_ALLOW_PRIVATE: 'true',
    CALLBACK_RETRY_DELAYS_S: '1,2,5,10,20,30,60',
  };
  api = new Supervised('api', apiPort, env);
  workers = [new Supervised('worker', await findFreePort(), env), new Supervised('worker', await findFreePort(), env)];
  gateways.answer = (request) => {
    sends.push({ reference: request.reference, at: Date.now() });
    void sendReceipt(request.reference);
    return 'accept';
  };
  // Long enough for a good part of the attempts to be under way when something dies.
  gateways.delay_ms = 250;
  api.start();
  await api.untilReady();
  for (const worker of workers) worker.start();
  await Promise.all(workers.map((worker) => worker.untilReady()));
  sender = await aSender();
}, 120_000);

afterAll(async () => {
  await Promise.all([api, ...(workers ?? [])].map((process) => process?.stop()));
  await gateways?.close();
  await sink?.close();
  await database?.stop();
  rmSync(database?.location ?? folder, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

it('loses nothing and repeats nothing without cause', async () => {
  const accepted = new Set<string>();
  const answers: Record<string, number> = {};
  const end = Date.now() + seconds * 1_000;
  await Promise.all([sendSteadily(end, accepted, answers), killAtRandom(end)]);
  await Promise.all([api, ...workers].map((process) => process.untilReady()));
  const settled = await untilSettled(accepted);

  const sent = new Map<string, number[]>();
  for (const { reference, at } of sends) sent.set(reference, [...(sent.get(reference) ?? []), at]);
  const repeated = [...sent].filter(([, times]) => times.length > 1);
  const unexplained = repeated.flatMap(([reference, times]) =>
    times.slice(1).flatMap((at, index) => (killBetween(times[index] ?? 0, at) ? [] : [reference])),
  );
  const unseen = [...accepted].filter((id) => !sent.has(id));
  const told = new Set(sink.calls.map(({ body }) => JSON.parse(body).id as string));
  const untold = [...accepted].filter((id) => !told.has(id));
  const duplicates = repeated.reduce((sum, [, times]) => sum + times.length - 1, 0);
  const killed = (victim: string) => kills.filter((kill) => kill.victim === victim).length;
  process.stdout.write(
    table([
      ['seconds', seconds],
      ['kills of the API', killed('api')],
      ['kills of one of two workers', killed('worker')],
      ['kills of PostgreSQL', killed('postgres')],
      ['answered with 201', accepted.size],
      ['other answers', JSON.stringify(answers)],
      ['not in a final state', settled.open],
      ['not known to the database', settled.missing],
      ['never seen by the provider', unseen.length],
      ['sent more than once', repeated.length],
      ['duplicates in all', duplicates],
      ['duplicates without a kill in between', unexplained.length],
      ['no callback to the service', untold.length],
      ['seconds until the last was final', settled.seconds],
    ]),
  );
  expect(accepted.size).toBeGreaterThan(seconds);
  expect(settled).toMatchObject({ open: 0, missing: 0 });
  expect(unseen).toEqual([]);
  expect(unexplained).toEqual([]);
  expect(untold).toEqual([]);
});

async function sendSteadily(end: number, accepted: Set<string>, answers: Record<string, number>): Promise<void> {
  const under = new Set<Promise<void>>();
  while (Date.now() < end) {
    const one = sendOne(accepted, answers).finally(() => under.delete(one));
    under.add(one);
    await sleep(1_000 / perSecond);
  }
  await Promise.all(under);
}

async function sendOne(accepted: Set<string>, answers: Record<string, number>): Promise<void> {
  try {
    const answer = await fetch(`http://127.0.0.1:${api.port}/v2/notifications/sms`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.key}` },
      body: JSON.stringify({ phone_number: '07700900123', template_id: sender.template_id }),
      signal: AbortSignal.timeout(20_000),
    });
    const body = (await answer.json()) as { id: string };
    if (answer.status === 201) accepted.add(body.id);
    else count(answers, String(answer.status));
  } catch {
    count(answers, 'no answer');
  }
}

async function killAtRandom(end: number): Promise<void> {
  await sleep(2_000);
  while (Date.now() < end - 1_000) {
    const victim = (['api', 'worker', 'postgres'] as const)[Math.floor(Math.random() * 3)] ?? 'worker';
    kills.push({ victim, at: Date.now() });
    if (victim === 'api') api.kill();
    else if (victim === 'worker') workers[Math.floor(Math.random() * workers.length)]?.kill();
    else killPostgres();
    await sleep(1_500 + Math.random() * 4_000);
  }
}

/** The postmaster and, with it, every connection. Whoever started it starts it again. */
function killPostgres(): void {
  const pid = Number(readFileSync(join(database.location, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is down already.
  }
}

/** As gateways do: again and again until somebody takes it. */
async function sendReceipt(reference: string): Promise<void> {
  await sleep(200 + Math.random() * 500);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${api.port}/notifications/sms/mmg`, {
      method: 'POST',
      body: JSON.stringify({ status: '3', CID: reference }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(500);
  }
}

/** A duplicate is explained by a worker or a database that died while the first attempt was under way. */
function killBetween(first: number, second: number): boolean {
  return kills.some(({ victim, at }) => victim !== 'api' && at >= first - 1_000 && at <= second);
}

async function untilSettled(ids: Set<string>) {
  const started = Date.now();
  const final = ['delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'];
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let open = ids.size;
  let missing = ids.size;
  while (Date.now() - started < 120_000) {
    const { rows } = await client.query('select id, status from notifications where id = any ($1::uuid[])', [[...ids]]);
    missing = ids.size - rows.length;
    open = rows.filter(({ status }) => !final.includes(status)).length;
    const { rows: waiting } = await client.query(
      "select count(*)::int as n from service_callbacks where status = 'waiting'",
    );
    if (open === 0 && missing === 0 && waiting[0].n === 0) break;
    await sleep(500);
  }
  await client.end();
  return { open, missing, seconds: Math.round((Date.now() - started) / 1_000) };
}

async function aSender(): Promise<{ key: string; template_id: string }> {
  const admin = async (path: string, body: object) => {
    const token = jwt({ iss: 'notify-admin', iat: Math.floor(Date.now() / 1_000) }, adminSecret);
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } & string }).data;
  };
  const { id } = await admin('/service', { name: 'Faults', user_id: platformUser, restricted: false });
  await admin(`/service/${id}`, { rate_limit: 1_000_000 });
  const template = await admin(`/service/${id}/template`, {
    name: 'Fault',
    template_type: 'sms',
    content: 'Hello',
    created_by: platformUser,
  });
  await admin(`/service/${id}/callback-api`, {
    url: `${sink.url}/hook`,
    bearer_token: 'a-token-of-some-length',
    updated_by_id: platformUser,
    callback_type: 'delivery_status',
  });
  const secret = await admin(`/service/${id}/api-key`, { name: 'k', key_type: 'normal', created_by: platformUser });
  return { key: `k-${id}-${secret}`, template_id: template.id };
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

function table(rows: [string, string | number][]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return `\n${rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')}\n\n`;
}
