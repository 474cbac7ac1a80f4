import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/commands/read-config.ts';
import { addDays } from '../src/countries/calendar.ts';
import { startEmbeddedPostgres } from '../src/libraries/embedded-postgres/embedded-postgres.ts';
import { formats } from '../src/operations/text-formats.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { buildServer } from '../src/platform/http/server.ts';
import { createLog } from '../src/platform/log.ts';
import { api, surfaces } from '../src/routes.ts';
import { seeds } from '../src/seeds.ts';
import { databaseNamed } from '../test/kit/process/database-url.ts';
import type { Measurement, Progress } from './measurement.ts';
import { median } from './processes.ts';
import { seededTemplate, seedFigures } from './statistics-seed.ts';

/** Latency of every usage, statistics and report endpoint, and how it grows with ten times the messages. */
export const name = 'statistics';

const sizes = [200_000, 2_000_000];
const services = 300;
const days = 400;
const now = new Date('2026-11-15T12:00:00Z');
/** Requests alternate between both sizes, so that other load on the machine affects both. */
const warmUp = 10;
const rounds = 5;
const asksPerRound = 20;

export function run(progress: Progress): Promise<Measurement> {
  return compareReports(sizes, progress);
}

/** Every report at two sizes, the second of which is the one that matters. */
export async function compareReports(sizes: number[], progress: Progress): Promise<Measurement> {
  const log = createLog('silent');
  const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log });
  const products: Product[] = [];
  try {
    for (const messages of sizes) {
      const url = databaseNamed(server.url, `messages_${messages}`);
      await createDatabase(server.url, `messages_${messages}`);
      await migrate(url, log, { seeds });
      products.push(await start(url, messages, dataDir, progress));
    }
    return report(await measure(products, progress), sizes);
  } finally {
    for (const { close } of products) await close();
    await server.stop();
    rmSync(server.location, { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Product {
  endpoints: Endpoint[];
  ask(endpoint: Endpoint, index: number): Promise<Answer>;
  close(): Promise<void>;
}

interface Answer {
  milliseconds: number;
  characters: number;
}

async function start(
  url: string,
  messages: number,
  DATA_DIR: string,
  progress: (line: string) => void,
): Promise<Product> {
  const config = readConfig({
    ADMIN_CLIENT_SECRETS: secret,
    SECRET_KEY: 'secret-key-of-the-benchmark-which-is-long-enough',
    DATA_DIR,
    DEMO: 'false',
  });
  const app = buildApp(config, { databaseUrl: url, clock: { now: () => now }, log: createLog('silent') });
  await app.open();
  const http = await buildServer({ app, surfaces, formats, api: { ...api, version: 'bench' } });
  // Statements of tasks may take an hour.
  const seeded = await seedFigures(app.apart.tasks.db, { messages, services, days, now }, progress);
  const address = await http.listen({ port: 0, host: '127.0.0.1' });
  return {
    endpoints: endpoints(seeded),
    async ask({ path, accept }, index) {
      const started = performance.now();
      const response = await fetch(`${address}${path(index)}`, {
        headers: { authorization: `Bearer ${token()}`, accept },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path(index)} answered ${response.status}: ${text}`);
      return { milliseconds: performance.now() - started, characters: text.length };
    },
    async close() {
      await http.close();
      await app.close();
    },
  };
}

interface Measured {
  endpoint: string;
  /** For each size: the 95th percentile of each round, in milliseconds. */
  p95s: number[][];
  /** For each size: of all responses together. */
  characters: number[];
}

async function measure(products: Product[], progress: (line: string) => void): Promise<Measured[]> {
  const all = products[0]?.endpoints ?? [];
  const measured: Measured[] = [];
  for (const [number, { name: endpoint }] of all.entries()) {
    progress(`${number + 1} of ${all.length}: ${endpoint}`);
    const p95s = products.map((): number[] => []);
    const characters = products.map(() => 0);
    for (let round = -1; round < rounds; round += 1) {
      const times = products.map((): number[] => []);
      for (let ask = 0; ask < (round < 0 ? warmUp : asksPerRound); ask += 1) {
        for (const [size, product] of products.entries()) {
          const asked = product.endpoints[number];
          if (!asked) continue;
          const answer = await product.ask(asked, Math.max(round, 0) * asksPerRound + ask);
          times[size]?.push(answer.milliseconds);
          characters[size] = (characters[size] ?? 0) + answer.characters;
        }
      }
      if (round >= 0) for (const [size, taken] of times.entries()) p95s[size]?.push(percentile95(taken));
    }
    measured.push({ endpoint, p95s, characters });
  }
  return measured;
}

interface Endpoint {
  name: string;
  path(index: number): string;
  accept: string;
}

/** Whole years and months, and ranges that begin and end anywhere: the same ones at every size. */
function endpoints(seeded: { services: string[]; organisations: string[] }): Endpoint[] {
  const service = (index: number) => seeded.services[(index * index) % services];
  const organisation = (index: number) => seeded.organisations[index % seeded.organisations.length];
  const template = (index: number) => seededTemplate((index * index) % services, 'sms', index % 3);
  const inYear = (index: number) => {
    if (index % 4 === 0) return dates('2026-04-01', '2026-11-15');
    const first = addDays('2026-04-01', (index * 37) % 150);
    return dates(first, addDays(first, (index * 53) % 78));
  };
  const anywhere = (index: number) => {
    if (index % 4 === 0) return dates('2025-10-11', '2026-11-15');
    const first = addDays('2025-10-11', (index * 37) % 200);
    return dates(first, addDays(first, 20 + ((index * 53) % 180)));
  };
  const ofService = (path: string) => (index: number) => `/service/${service(index)}${path}`;
  const reports: Record<string, (index: number) => string> = {
    'data-for-billing-report': inYear,
    'data-for-dvla-billing-report': inYear,
    'daily-volumes-report': anywhere,
    'daily-sms-provider-volumes-report': anywhere,
    'volumes-by-service': anywhere,
  };
  const paths: Record<string, (index: number) => string> = {
    'monthly-usage': ofService('/billing/monthly-usage?year=2026'),
    'yearly-usage-summary': ofService('/billing/yearly-usage-summary?year=2026'),
    'free-sms-fragment-limit': ofService('/billing/free-sms-fragment-limit'),
    'services-with-usage': (index) => `/organisations/${organisation(index)}/services-with-usage?year=2026`,
    statistics: ofService('/statistics?limit_days=7'),
    'service, detailed': ofService('?detailed=true'),
    'services, detailed, today': () => '/service?detailed=true',
    'services, detailed, any days': (index) =>
      `/service${anywhere(index)}&detailed=true&include_from_test_key=${index % 2 === 0}`,
    'notifications/monthly': ofService('/notifications/monthly?year=2026'),
    'notifications/templates_usage/monthly': ofService('/notifications/templates_usage/monthly?year=2026'),
    'notifications/count': ofService('/notifications/count?limit_days=7'),
    'template-statistics': ofService('/template-statistics?whole_days=7'),
    'template-statistics/last-used': (index) =>
      `/service/${service(index)}/template-statistics/last-used/${template(index)}`,
    'platform-stats': (index) => `/platform-stats${anywhere(index)}`,
    ...Object.fromEntries(
      Object.entries(reports).map(([report, range]) => [
        report,
        (index: number) => `/platform-stats/${report}${range(index)}`,
      ]),
    ),
    'performance-dashboard': () => '/performance-dashboard',
    'live-services-data': () => '/service/live-services-data',
    'monthly-data-by-service': (index) => `/service/monthly-data-by-service${anywhere(index)}`,
  };
  const asJson = Object.entries(paths).map(([name, path]) => ({ name, path, accept: 'application/json' }));
  const asCsv = Object.entries(reports).map(([report, range]) => ({
    name: `${report} as CSV`,
    path: (index: number) => `/platform-stats/${report}${range(index)}`,
    accept: 'text/csv',
  }));
  return [...asJson, ...asCsv];
}

function report(measured: Measured[], [small = 0, large = 0]: number[]) {
  const column = (messages: number) => `p95 ms, ${messages.toLocaleString('en')} messages`;
  const detail = measured.map(({ endpoint, p95s: [few = [], many = []], characters: [short = 0, long = 0] }) => ({
    endpoint,
    [column(small)]: round(median(few)),
    [column(large)]: round(median(many)),
    ratio: round(median(many) / median(few)),
    'ratio of the answers’ lengths': round(long / short),
  }));
  return {
    detail,
    figures: {
      worst_p95_ms: Math.max(...measured.map(({ p95s: [, many = []] }) => round(median(many)))),
      worst_ratio: Math.max(...detail.map((row) => row.ratio)),
    },
    targets: { worst_p95_ms: '< 100', worst_ratio: '<= 1.5' },
  };
}

function percentile95(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0;
}

function dates(start: string, end: string): string {
  return `?start_date=${start}&end_date=${end}`;
}

const secret = 'secret-of-the-benchmark-which-is-long-enough';
function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part({ iss: 'notify-admin', iat: Math.floor(now.getTime() / 1000) })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function createDatabase(url: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${database}`);
  await client.end();
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
