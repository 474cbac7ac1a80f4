import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type App, buildApp } from '../src/app.ts';
import { readConfig } from '../src/commands/read-config.ts';
import { keepSearch } from '../src/console/links.ts';
import type { Visitor } from '../src/console/sessions/sessions.ts';
import { addUpChanges, reconcileRollups } from '../src/notifications/rollups/rollups.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { seeds } from '../src/seeds.ts';
import type { LoadOrder, LoadReport } from './accept-load.ts';
import type { BareRouteOrder } from './bare-route.ts';
import type { Measurement, Options, Progress } from './measurement.ts';
import { quantile, runInProcess, startInProcess, startProduct } from './processes.ts';
import { seedMessages } from './scale-seed.ts';
import { aSender, type Sender } from './sender.ts';
import { signInAdmin } from './sign-in-admin.ts';
import { temporaryDatabase } from './temporary-database.ts';

/**
 * The pages of a service with millions of messages, on the server; and accepting messages while 100 open pages ask for their
 * live parts, compared with accepting alone.
 */
export const name = 'console';
export const onlyWhenNamed = true;

const usualMessages = 2_000_000;
const timesEach = 40;
const openPages = 100;
const rounds = 3;
const roundSeconds = Number(process.env.BENCH_SECONDS ?? 20);

export async function run(progress: Progress, options: Options): Promise<Measurement> {
  const messages = options.messages ?? usualMessages;
  const { pages, bare_p95_ms } = await measurePages(messages, progress);
  const worst = Math.max(...pages.map(({ p95_ms }) => p95_ms));
  const accept = await measurePolling(progress);
  return {
    figures: {
      messages,
      worst_page_p95_ms: worst,
      worst_page_ratio_to_bare_route: Math.round(worst / bare_p95_ms),
      ...accept,
    },
    targets: { worst_page_p95_ms: '< 150', accept_change_percent: '> -2' },
    detail: pages,
  };
}

async function measurePages(messages: number, progress: Progress) {
  const log = createLog('silent');
  const { server, environment, remove } = await temporaryDatabase();
  try {
    await migrate(server.url, log, { seeds });
    const app = buildApp(readConfig(environment), { databaseUrl: server.url, log });
    await app.open();
    const product = await startProduct('api', environment);
    try {
      const seeded = app.apart.tasks.db;
      await seedMessages(seeded, { messages, services: 1, now: app.clock.now() }, progress);
      await sql`insert into templates_history (id, service_id, name, template_type, content, version, archived, hidden,
          process_type, redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
        select id, service_id, name, template_type, content, version, archived, hidden, process_type,
          redact_personalisation, has_unsubscribe_link, created_by_id, created_at from templates
        on conflict do nothing`.execute(seeded);
      progress('messages are counted');
      await reconcileRollups({ ...app, ...app.apart.tasks }, () => undefined);
      const { visitor, cookie } = await signInAdmin(app);
      const service = await serviceOf(app);
      const measured: { page: string; p50_ms: number; p95_ms: number }[] = [];
      for (const [page, path] of Object.entries(await pathsOf(app, visitor, service))) {
        progress(`page ${page}`);
        const url = `http://127.0.0.1:${product.port}/console/services/${service}${path}`;
        const times = await timeRequests(() => fetch(url, { headers: { cookie } }));
        measured.push({ page, p50_ms: round(quantile(times, 0.5)), p95_ms: round(quantile(times, 0.95)) });
      }
      const bare = await startInProcess<BareRouteOrder>('bare-route', { databaseUrl: server.url });
      const url = `http://127.0.0.1:${bare.port}/v2/notifications/sms`;
      const times = await timeRequests(() => fetch(url, { method: 'POST' }));
      bare.stop();
      return { pages: measured, bare_p95_ms: quantile(times, 0.95) };
    } finally {
      await product.stop();
      await app.close();
    }
  } finally {
    await remove();
  }
}

/** In ascending order, in milliseconds. */
async function timeRequests(ask: () => Promise<Response>): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time < timesEach; time += 1) {
    const began = performance.now();
    const response = await ask();
    await response.text();
    times.push(performance.now() - began);
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  }
  return times.sort((left, right) => left - right);
}

async function serviceOf(app: App): Promise<string> {
  const row = await app.db
    .selectFrom('services')
    .select('id')
    .where('name', '=', 'Service 0')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** What people do with a long list: look, filter, search for what is rare or not there, go back to the beginning. */
async function pathsOf(app: App, visitor: Visitor, service: string): Promise<Record<string, string>> {
  const find = (text: string) => `/messages?${new URLSearchParams({ find: keepSearch(app, visitor, text) })}`;
  const one = await app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', service)
    .where('notification_type', '=', 'sms')
    .orderBy('id')
    .offset(1_000)
    .executeTakeFirstOrThrow();
  return {
    home: '',
    months: '/months',
    usage: '/usage',
    messages: '/messages',
    texts: '/messages?channel=sms',
    sending: '/messages?status=sending',
    failed: '/messages?status=failed',
    'an old page': `/messages?before=${one.id}`,
    'a recipient': find('to:ada@example.org'),
    'an unknown recipient': find('to:nobody@example.org'),
    'an unknown reference': find('ref:unknown'),
    'words of a file': find('march.csv'),
    'one message': `/messages/${one.id}`,
    'received texts': '/received',
  };
}

/** Rounds of accepting alone and with open pages take turns, so that a busy minute of the machine meets both. */
async function measurePolling(progress: Progress) {
  const { server, environment, remove } = await temporaryDatabase();
  try {
    const product = await startProduct('api', environment);
    const app = buildApp(readConfig(environment), { databaseUrl: server.url, log: createLog('silent') });
    try {
      await app.open();
      const sender = await aSender(product.port, { template_type: 'sms', content: 'Hello ((name))' });
      const { cookie } = await signInAdmin(app);
      const accepted = { alone: 0, beside: 0 };
      const adding = addUpEverySecond(app);
      await accept(product.port, sender, 4);
      for (let turn = 0; turn < rounds; turn += 1) {
        progress(`accepting alone, ${turn + 1} of ${rounds}`);
        accepted.alone += await accept(product.port, sender, roundSeconds);
        progress(`accepting beside ${openPages} open pages, ${turn + 1} of ${rounds}`);
        const pages = openLivePages(product.port, sender.service_id, cookie);
        accepted.beside += await accept(product.port, sender, roundSeconds);
        await pages.close();
      }
      await adding.stop();
      return {
        accept_alone_per_s: Math.round(accepted.alone / rounds),
        accept_beside_pages_per_s: Math.round(accepted.beside / rounds),
        accept_change_percent: round((accepted.beside / accepted.alone - 1) * 100),
      };
    } finally {
      await app.close();
      await product.stop();
    }
  } finally {
    await remove();
  }
}

/** As a worker on another machine would do; here it would also deliver, on the processors that accept. */
function addUpEverySecond(app: App) {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      await addUpChanges(app.apart.tasks.db);
      await sleep(1_000);
    }
  };
  const running = run();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function accept(port: number, sender: Sender, seconds: number): Promise<number> {
  const order: LoadOrder = { port, connections: 64, seconds, senders: [sender], channel: 'sms' };
  const report = await runInProcess<LoadOrder, LoadReport>('accept-load', order);
  return report.ids.length / report.seconds;
}

/** As the script of the pages does: every five seconds, less often while the server is slow or asks for it. */
function openLivePages(port: number, service: string, cookie: string) {
  const closing = new AbortController();
  const { signal } = closing;
  const url = `http://127.0.0.1:${port}/console/services/${service}/messages/list`;
  const one = async (index: number) => {
    await sleep(index * 50, undefined, { signal });
    for (;;) {
      const began = performance.now();
      const response = await fetch(url, { headers: { cookie, 'x-live-part': 'true' }, signal });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`a live part answered ${response.status}`);
      const asked_ms = Number(response.headers.get('retry-after') ?? '0') * 1_000;
      const wait_ms = Math.min(Math.max(5_000, asked_ms, (performance.now() - began) * 100), 60_000);
      await sleep(wait_ms, undefined, { signal });
    }
  };
  const untilClosed = (error: unknown) => {
    if (!signal.aborted) throw error;
  };
  const all = Promise.all(Array.from({ length: openPages }, (_, index) => one(index).catch(untilClosed)));
  return {
    async close() {
      closing.abort();
      await all;
    },
  };
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
