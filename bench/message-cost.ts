import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, buildApp } from '../src/app.ts';
import { readConfig } from '../src/commands/read-config.ts';
import { addDays, Calendar } from '../src/countries/calendar.ts';
import { createCountry } from '../src/countries/country.ts';
import { gb } from '../src/countries/gb.ts';
import { collateLetters } from '../src/letters/print/print-run.ts';
import { createLog } from '../src/platform/log.ts';
import { runnableTasks } from '../src/tasks.ts';
import { bulkTemplate, sendFile, untilExpanded } from './bulk-file.ts';
import {
  type Counters,
  changesOfTables,
  type DatabaseCosts,
  databaseCosts,
  readCounters,
} from './database-counters.ts';
import { type Bed, gatewaySettings, untilDelivered } from './delivery-run.ts';
import type { GatewayOrder } from './gateway.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import { cpuMs, cpuMsOfFamily, type Product, runInProcess, startInProcess, startProduct } from './processes.ts';
import { aSender, callBackTo, type Sender } from './sender.ts';
import { postmasterOf } from './temporary-database.ts';

const london = new Calendar('Europe/London');

/** How the messages of one measurement are sent. */
export interface Kind {
  channel: 'sms' | 'email' | 'letter';
  /** `http`: a gateway that is called over HTTP and sends receipts over HTTP. */
  provider: 'sandbox' | 'http';
  per_second: number;
  /** All of them are rows of one file. */
  file?: boolean;
  /** The service is called back about each of them. */
  callbacks?: boolean;
}

interface Costs extends DatabaseCosts {
  api_ms: number;
  worker_ms: number;
  database_ms: number;
}

/** What one message costs, from its request until the night in which it is deleted. */
export interface MessageCost extends Costs {
  /** Contained in database_ms. */
  vacuum_ms: number;
  /** Contained in worker_ms and database_ms: scheduled tasks of the night after, and of the one in which it is deleted. */
  nights_ms: number;
  /** Size in tables and indexes until it is deleted. */
  kept_bytes: number;
  /** Additional size in tables and indexes while it waits to be handed over. */
  queued_bytes: number;
  /** Size in the file store until it is deleted. */
  file_bytes: number;
  /** The most that one API and one worker process had open together. */
  connections: number;
}

/** Connections of the product make their counts known after ten seconds without work. */
const idle_s = 11;
const warmUp_s = 3;
/** Enough for the size of tables to say something about one message: they grow by pages. */
const minQueued = 500;
const nightOfDeletion = 9;
/** Where the sandbox keeps messages; other providers keep theirs outside. */
const ofSandbox = 'sandbox_messages';

const content = 'Dear ((name)), your appointment is on ((day)).';
const templates = {
  sms: { template_type: 'sms', content },
  email: { template_type: 'email', content, subject: 'Your appointment on ((day))' },
  letter: { template_type: 'letter', content, subject: 'Your appointment' },
};

export async function measureMessageCost(given: Bed, kind: Kind, seconds: number): Promise<MessageCost> {
  const outside = await startOutside(kind);
  const environment: Record<string, string> = { ...given.environment, ...outside.settings };
  const bed = { ...given, environment };
  const { progress, database } = bed;
  const products: { api?: Product; worker?: Product } = {};
  const stopProducts = async () => {
    await Promise.all([products.api?.stop(), products.worker?.stop()]);
    products.api = products.worker = undefined as never;
  };
  try {
    const api = await startProduct('api', environment);
    products.api = api;
    const sender = await aSender(api.port, kind.file ? bulkTemplate : templates[kind.channel]);
    if (outside.callbackUrl) await callBackTo(outside.callbackUrl, api.port, sender);
    const send = (seconds: number) => sendMessages(bed, api.port, kind, sender, seconds);
    const meter = new Meter(bed, products);
    progress('scheduled tasks without messages');
    const now = new Date();
    // The first time Node compiles them.
    await meter.tasks(now);
    const tasksAlone = await meter.tasks(now);
    progress('messages wait without a worker');
    const empty = await readCounters(database);
    const queued = kind.file ? 0 : await send(Math.max(warmUp_s, Math.ceil(minQueued / kind.per_second)));
    const full = await readCounters(database);
    products.worker = await startProduct('worker', { ...environment, BASE_URL: `http://127.0.0.1:${api.port}` });
    progress('warming up');
    const before = queued + (await send(warmUp_s));
    await untilFinished(bed, kind);
    await database.query('vacuum analyze');
    progress('no messages');
    // What the warm-up has left to count is not the cost of doing nothing.
    await sleep(idle_s * 1_000);
    const idle = await meter.during(async () => undefined);
    await database.query('checkpoint');
    progress(`${kind.per_second} messages a second for ${seconds} s`);
    const files = join(environment.DATA_DIR ?? '', 'files');
    const filesBefore = bytesIn(files);
    const connections = watchConnections(bed);
    let messages = 0;
    const load = await meter.during(async () => {
      messages = await send(seconds);
      await untilFinished(bed, kind);
    });
    const mostConnections = await connections.stop();
    await stopProducts();
    progress('vacuum, and scheduled tasks of two nights');
    const vacuum = await meter.during(() => vacuumChanged(bed, load));
    const file_bytes = (bytesIn(files) - filesBefore) / messages;
    const nights = add(await meter.tasks(nightOf(now, 1)), await meter.tasks(nightOf(now, nightOfDeletion)));
    await refuseUnlessDeleted(bed);
    const idleMeanwhile = scale(idle.costs, -load.took_ms / idle.took_ms);
    // A busy process polls less than an idle one, so that all of its commits count.
    const sent = add(load.costs, { ...idleMeanwhile, commits: 0 });
    const perMessage = scale(add(sent, vacuum.costs), 1 / messages);
    // The nights are also about the messages that were sent before.
    const ofNights = scale(add(nights, scale(tasksAlone, -2)), 1 / (messages + before));
    const kept = keptTables(load);
    return {
      ...add(perMessage, ofNights),
      vacuum_ms: vacuum.costs.database_ms / messages,
      nights_ms: ofNights.worker_ms + ofNights.database_ms,
      kept_bytes: growth(empty, vacuum.after, (table) => kept.has(table)) / (messages + before),
      queued_bytes: queued === 0 ? 0 : growth(empty, full, (table) => !kept.has(table)) / queued,
      file_bytes,
      connections: mostConnections,
    };
  } finally {
    await stopProducts();
    outside.stop();
  }
}

interface Phase {
  costs: Costs;
  took_ms: number;
  before: Counters;
  after: Counters;
}

class Meter {
  private readonly bed: Bed;
  private readonly products: { api?: Product; worker?: Product };

  constructor(bed: Bed, products: { api?: Product; worker?: Product }) {
    this.bed = bed;
    this.products = products;
  }

  async during(work: () => Promise<unknown>): Promise<Phase> {
    const began = performance.now();
    const before = await this.read();
    await work();
    if (this.products.worker) await sleep(idle_s * 1_000);
    const after = await this.read();
    const costs = {
      api_ms: after.api_ms - before.api_ms,
      worker_ms: after.worker_ms - before.worker_ms,
      database_ms: after.database_ms - before.database_ms,
      ...databaseCosts(before.counters, after.counters, ofSandbox),
    };
    return { costs, took_ms: performance.now() - began, before: before.counters, after: after.counters };
  }

  /** Every scheduled task once, as a worker runs it at this time. */
  async tasks(now: Date): Promise<Costs> {
    const started = process.cpuUsage();
    const { costs } = await this.during(() =>
      withApp(this.bed, now, async (app) => {
        for (const { schedule, run } of runnableTasks(app)) if (schedule) await run({});
      }),
    );
    const { user, system } = process.cpuUsage(started);
    return { ...costs, worker_ms: (user + system) / 1_000, api_ms: 0 };
  }

  private async read() {
    const { api, worker } = this.products;
    return {
      counters: await readCounters(this.bed.database),
      api_ms: api ? cpuMs(api.pid) : 0,
      worker_ms: worker ? cpuMs(worker.pid) : 0,
      database_ms: cpuMsOfFamily(postmasterOf(this.bed.server)),
    };
  }
}

function add(one: Costs, other: Costs): Costs {
  return Object.fromEntries(names(one).map((name) => [name, one[name] + other[name]])) as unknown as Costs;
}

function scale(costs: Costs, by: number): Costs {
  return Object.fromEntries(names(costs).map((name) => [name, costs[name] * by])) as unknown as Costs;
}

const names = (costs: Costs) => Object.keys(costs) as (keyof Costs)[];

/** The gateway and the receiver of callbacks; their processor time is not measured. */
async function startOutside({ provider, callbacks }: Kind) {
  const gateway =
    provider === 'http'
      ? await startInProcess<GatewayOrder>('gateway', { answer_ms: 20, receipt_ms: 100, connections: 100 })
      : undefined;
  const receiver = callbacks ? createServer((_, response) => response.end()).listen(0, '127.0.0.1') : undefined;
  if (receiver) await new Promise((resolve) => receiver.once('listening', resolve));
  return {
    settings: { CALLBACK_ALLOW_PRIVATE: 'true', ...(gateway ? gatewaySettings(gateway.port) : {}) },
    callbackUrl: receiver && `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    stop() {
      gateway?.stop();
      receiver?.closeAllConnections();
      receiver?.close();
    },
  };
}

/** Returns how many there were. */
async function sendMessages(bed: Bed, port: number, kind: Kind, sender: Sender, seconds: number): Promise<number> {
  const { per_second, channel } = kind;
  const messages = per_second * seconds;
  if (kind.file) {
    await untilExpanded(bed.database, await sendFile(port, sender, messages, 'csv'), messages);
    return messages;
  }
  const order: PacedOrder = {
    port,
    connections: 100,
    per_second,
    messages,
    senders: [sender],
    channel,
    references: true,
  };
  const { accepted } = await runInProcess<PacedOrder, PacedReport>('paced-load', order);
  if (accepted !== messages) throw new Error(`${messages - accepted} of ${messages} messages were not accepted`);
  return messages;
}

/** The application in this process, at a time of its own. */
async function withApp({ environment, server }: Bed, now: Date, work: (app: App) => Promise<void>): Promise<void> {
  const outside = { databaseUrl: server.url, clock: { now: () => now }, log: createLog('silent') };
  const app = buildApp(readConfig(environment), outside);
  await app.open();
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

async function untilFinished(bed: Bed, { channel }: Kind): Promise<void> {
  const { progress, database } = bed;
  if (channel === 'letter') await printLetters(bed);
  await untilDelivered(progress, database);
  const waiting = `select exists (select from service_callbacks where status = 'waiting') as found`;
  while ((await database.query(waiting)).rows[0].found) await sleep(200);
}

/** Letters wait for the evening of a working day; the worker prints them when they are collated. */
async function printLetters(bed: Bed): Promise<void> {
  const unfinished = `select exists (select from notifications where status = 'created' and billable_units = 0) as found`;
  while ((await bed.database.query(unfinished)).rows[0].found) await sleep(200);
  const { holidays } = createCountry(gb);
  const day = holidays.workingDayFrom(addDays(london.day(new Date()), 1));
  await withApp(bed, london.instant(day, 18), collateLetters);
}

/** Four in the morning, when all nightly tasks are due. */
function nightOf(now: Date, daysLater: number): Date {
  return london.instant(addDays(london.day(now), daysLater), 4);
}

/** What autovacuum and the checkpointer do. */
async function vacuumChanged({ database }: Bed, { before, after }: Phase): Promise<void> {
  const changed = [...changesOfTables(before, after).values()].filter(
    ({ inserted, updated, deleted }) => inserted + updated + deleted > 0,
  );
  await database.query(`vacuum analyze ${changed.map(({ table }) => table).join(', ')}`);
  await database.query('checkpoint');
}

/** Tables in which most new rows stay after delivery. */
function keptTables({ before, after }: Phase): Set<string> {
  const stay = [...changesOfTables(before, after).values()].filter(
    ({ table, inserted, deleted }) => inserted > 0 && deleted < inserted / 2 && table !== ofSandbox,
  );
  return new Set(stay.map(({ table }) => table));
}

function growth(before: Counters, after: Counters, of: (table: string) => boolean): number {
  const tables = [...changesOfTables(before, after).values()].filter(({ table }) => table !== ofSandbox && of(table));
  return tables.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Twice a second. */
function watchConnections({ database }: Bed) {
  const stopping = new AbortController();
  const watch = async () => {
    let most = 0;
    while (!stopping.signal.aborted) {
      const { rows } = await database.query(
        `select count(*)::int as open from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      most = Math.max(most, rows[0].open);
      await sleep(500);
    }
    return most;
  };
  const watched = watch();
  return {
    stop() {
      stopping.abort();
      return watched;
    },
  };
}

async function refuseUnlessDeleted({ database }: Bed): Promise<void> {
  const { rows } = await database.query('select count(*)::int as left from notifications');
  if (rows[0].left > 0) throw new Error(`${rows[0].left} messages are left after their retention`);
}

function bytesIn(folder: string): number {
  let entries: string[];
  try {
    entries = readdirSync(folder, { recursive: true }) as string[];
  } catch {
    // Nothing was stored yet.
    return 0;
  }
  return entries.reduce((sum, entry) => {
    const found = statSync(join(folder, entry));
    // The file system counts blocks of 512 bytes.
    return sum + (found.isFile() ? found.blocks * 512 : 0);
  }, 0);
}
