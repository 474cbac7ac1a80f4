import { readFileSync } from 'node:fs';
import { type App, buildApp } from '../src/app.ts';
import { createApiKey } from '../src/auth/api-keys.ts';
import { readConfig } from '../src/commands/read-config.ts';
import { collectPages } from '../src/console/collect-pages.ts';
import { keepSearch } from '../src/console/links.ts';
import type { Visitor } from '../src/console/sessions/sessions.ts';
import { timestamp } from '../src/platform/clock.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { seeds } from '../src/seeds.ts';
import { creatorPermissions } from '../src/users/members/permissions.ts';
import { pageRequests } from './lists/pages.ts';
import { type ApiDocument, apiRequests, type ListRequest, type World } from './lists/requests.ts';
import { ownerOf, seedOnce, worldOf } from './lists/world.ts';
import type { Measurement, Options, Progress } from './measurement.ts';
import { cpuMs, cpuMsOfFamily, profilingFlags, quantile, rssMb, startProduct } from './processes.ts';
import { adminToken } from './sender.ts';
import { signInAdmin } from './sign-in-admin.ts';
import { postmasterOf, temporaryDatabase } from './temporary-database.ts';

/**
 * Every list of a service with 2,000,000 messages, with every filter: of the API as its document says, of the console as its pages
 * do. A response takes at most half a second, or is a refusal that says what to use instead; a download begins within it.
 *
 * `BENCH_LISTS_DATA=<folder>` keeps the database for the next run, `BENCH_LISTS=<pattern>` measures the
 * matching lists only, `BENCH_LISTS_TIMES=<n>` each n times.
 */
export const name = 'lists';
export const onlyWhenNamed = true;

const usualMessages = 2_000_000;
const timesEach = Number(process.env.BENCH_LISTS_TIMES ?? 20);
/** Two filters together are thousands of requests. */
const timesOfPairs = Math.min(timesEach, 5);
const target_ms = 500;
/** A hopeless list is not measured to the end. */
const patience_ms = 10_000;
const shown = 60;

interface Measured {
  list: string;
  status: number;
  p50_ms: number;
  p95_ms: number;
  /** Processor time of one request. */
  database_cpu_ms: number;
  server_cpu_ms: number;
  kB: number;
}

export async function run(progress: Progress, options: Options): Promise<Measurement> {
  const folder = process.env.BENCH_LISTS_DATA;
  const log = createLog('silent');
  const { server, environment, remove } = await temporaryDatabase(folder);
  try {
    await migrate(server.url, log, { seeds });
    const settings = {
      ...environment,
      READ_RATE_LIMIT: '1000000',
      SMS_PROVIDERS: 'sandbox',
      EMAIL_PROVIDERS: 'sandbox',
    };
    const app = buildApp(readConfig(settings), { databaseUrl: server.url, log });
    await app.open();
    try {
      await seedOnce(app, options.messages ?? usualMessages, progress);
      const product = await startProduct('api', settings, profilingFlags());
      try {
        const world = await worldOf(app);
        const { visitor, cookie } = await signInAdmin(app);
        await joinService(app, world.service_id ?? '', visitor.user.id);
        const requests = requestsOf(app, world, visitor);
        const key = await aKey(app, world.service_id ?? '');
        const headers = {
          admin: () => ({ authorization: `Bearer ${adminToken()}` }),
          v2: () => ({ authorization: `Bearer ${key}` }),
          console: () => ({ cookie }),
        };
        const target = { port: product.port, headers, pids: { server: product.pid, database: postmasterOf(server) } };
        const whole = await downloadWhole(`/console/services/${world.service_id}/messages/csv`, target, progress);
        const lists = await measure(requests, target, progress);
        return { ...lists, figures: { ...lists.figures, ...whole } };
      } finally {
        await product.stop();
      }
    } finally {
      await app.close();
    }
  } finally {
    await (folder === undefined ? remove() : server.stop());
  }
}

function requestsOf(app: App, world: World, visitor: Visitor): ListRequest[] {
  const document: ApiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const paths = collectPages(app).map(({ path }) => path);
  const all = [
    ...apiRequests(document, world),
    ...pageRequests(paths, world, (text) => keepSearch(app, visitor, text)),
  ];
  const wanted = new RegExp(process.env.BENCH_LISTS ?? '');
  return all.filter(({ label }) => wanted.test(label));
}

/** Some pages are for members only. */
async function joinService({ db, clock }: App, service_id: string, user_id: string): Promise<void> {
  await db
    .insertInto('service_members')
    .values({ service_id, user_id, permissions: creatorPermissions, created_at: timestamp(clock.now()) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function aKey(app: App, service: string): Promise<string> {
  const request = {
    name: `lists ${Date.now()}`,
    key_type: 'normal',
    manage_templates: true,
    manage_reports: true,
  } as const;
  return `lists-${service}-${await createApiKey(app, service, { ...request, created_by: await ownerOf(app, service) })}`;
}

interface Target {
  port: number;
  headers: Record<ListRequest['surface'], () => Record<string, string>>;
  pids: { server: number; database: number };
}

async function measure(requests: ListRequest[], target: Target, progress: Progress): Promise<Measurement> {
  const measured: Measured[] = [];
  for (const [number, request] of requests.entries()) {
    if (number % 50 === 0) progress(`${number} of ${requests.length}: ${request.label}`);
    measured.push(await measureOne(request, target));
  }
  const wrong = measured.filter(({ status }) => ![200, 303, 400, 404].includes(status));
  if (wrong.length > 0)
    throw new Error(`Not measured: ${wrong.map(({ list, status }) => `${list} (${status})`).join(', ')}`);
  measured.sort((left, right) => right.p95_ms - left.p95_ms);
  return {
    figures: {
      lists: measured.length,
      refused: measured.filter(({ status }) => status === 400).length,
      above_target: measured.filter(({ p95_ms }) => p95_ms > target_ms).length,
      worst_p95_ms: measured[0]?.p95_ms ?? 0,
      server_memory_mb: Math.round(rssMb(target.pids.server)),
    },
    targets: { above_target: '0', worst_p95_ms: `< ${target_ms}`, export_first_byte_ms: `< ${target_ms}` },
    detail: measured.slice(0, shown).map((row) => ({ ...row })),
  };
}

/** A download of all messages: when it begins, how long it takes, and how much memory the server needs during it. */
async function downloadWhole(url: string, { port, headers, pids }: Target, progress: Progress) {
  const before = rssMb(pids.server);
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers: headers.console() });
  let [first_ms, bytes, most] = [0, 0, before];
  for await (const part of response.body ?? []) {
    if (first_ms === 0) first_ms = performance.now() - began;
    if (Math.floor(bytes / 10_000_000) < Math.floor((bytes + part.length) / 10_000_000)) {
      most = Math.max(most, rssMb(pids.server));
      progress(`${Math.round(bytes / 1_000_000)} MB of all messages as CSV`);
    }
    bytes += part.length;
  }
  return {
    export_mb: Math.round(bytes / 1_000_000),
    export_first_byte_ms: Math.round(first_ms),
    export_whole_s: Math.round((performance.now() - began) / 1_000),
    export_memory_growth_mb: Math.round(most - before),
  };
}

/** A download counts until its first part arrives. */
async function measureOne(
  { surface, label, url, body }: ListRequest,
  { port, headers, pids }: Target,
): Promise<Measured> {
  const times: number[] = [];
  const wanted = url.includes('&') ? timesOfPairs : timesEach;
  const isDownload = /(?:\.csv|\/csv|\/results)(?:\?|$)/.test(url) && !url.includes('/notifications/csv');
  const before = { server: cpuMs(pids.server), database: cpuMsOfFamily(pids.database) };
  const started = performance.now();
  let [status, bytes] = [0, 0];
  while (times.length < wanted && (times.length < 3 || performance.now() - started < patience_ms)) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${url}`, {
      headers: { ...headers[surface](), ...(body ? { 'content-type': 'application/json' } : {}) },
      redirect: 'manual',
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    status = response.status;
    if (isDownload) {
      const reader = response.body?.getReader();
      bytes = (await reader?.read())?.value?.length ?? 0;
      times.push(performance.now() - began);
      await reader?.cancel();
    } else {
      bytes = (await response.arrayBuffer()).byteLength;
      times.push(performance.now() - began);
    }
  }
  const each = (spent_ms: number) => round(spent_ms / times.length);
  times.sort((left, right) => left - right);
  return {
    list: label.length > 150 ? `${label.slice(0, 149)}…` : label,
    status,
    p50_ms: round(quantile(times, 0.5)),
    p95_ms: round(quantile(times, 0.95)),
    database_cpu_ms: each(cpuMsOfFamily(pids.database) - before.database),
    server_cpu_ms: each(cpuMs(pids.server) - before.server),
    kB: round(bytes / 1_000),
  };
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
