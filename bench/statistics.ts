import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { addDays } from '../src/platform/calendar.ts';
import { startEmbeddedPostgres } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { buildServer } from '../src/platform/http/server.ts';
import { createLog } from '../src/platform/log.ts';
import { formats, surfaces } from '../src/routes.ts';
import { databaseNamed } from '../test/kit/database-url.ts';
import { seedFigures } from './statistics-seed.ts';

/** How long every usage, statistics and report endpoint takes, with ten times the messages behind it. */
export const name = 'statistics';

const sizes = [200_000, 2_000_000];
const services = 300;
const days = 400;
const now = new Date('2026-11-15T12:00:00Z');
const warmUp = 10;
const measured = 60;

export async function run(
  progress: (line: string) => void,
): Promise<{ rows: Record<string, string | number>[]; figures: Record<string, number> }> {
  const log = createLog('silent');
  const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log });
  try {
    const results: Map<string, number>[] = [];
    for (const messages of sizes) {
      const url = databaseNamed(server.url, `messages_${messages}`);
      await createDatabase(server.url, `messages_${messages}`);
      await migrate(url, log);
      results.push(await measure(url, messages, dataDir, progress));
    }
    return report(results);
  } finally {
    await server.stop();
    rmSync(server.location, { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Endpoint -> 95th percentile in milliseconds. */
async function measure(
  url: string,
  messages: number,
  DATA_DIR: string,
  progress: (line: string) => void,
): Promise<Map<string, number>> {
  const config = { ...readConfig({ ADMIN_CLIENT_SECRETS: secret, SECRET_KEY: 'bench', DATA_DIR }), DEMO: false };
  const app = buildApp(config, { databaseUrl: url, clock: { now: () => now }, log: createLog('silent') });
  await app.open();
  const http = await buildServer({ app, surfaces, formats, version: 'bench' });
  try {
    const seed = { messages, services, days, now };
    progress(`${messages} messages over ${days} days and ${services} services`);
    const seeded = await seedFigures(app.db, seed);
    const address = await http.listen({ port: 0, host: '127.0.0.1' });
    const results = new Map<string, number>();
    for (const [endpoint, path] of Object.entries(endpoints(seeded))) {
      const times: number[] = [];
      for (let index = -warmUp; index < measured; index += 1) {
        const started = performance.now();
        const response = await fetch(`${address}${path(Math.abs(index))}`, {
          headers: { authorization: `Bearer ${token()}` },
        });
        await response.text();
        if (response.status !== 200) throw new Error(`${path(Math.abs(index))} answered ${response.status}`);
        if (index >= 0) times.push(performance.now() - started);
      }
      times.sort((a, b) => a - b);
      results.set(endpoint, times[Math.ceil(times.length * 0.95) - 1] ?? 0);
    }
    return results;
  } finally {
    await http.close();
    await app.close();
  }
}

/** Whole years and months, and ranges that begin and end anywhere: the same ones at every size. */
function endpoints(seeded: { services: string[]; organisations: string[] }): Record<string, (index: number) => string> {
  const service = (index: number) => seeded.services[(index * index) % services];
  const organisation = (index: number) => seeded.organisations[index % seeded.organisations.length];
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
  const ofService = (path: string) => (index: number) => `/service/${service(index)}/billing/${path}`;
  const stats = (path: string, range: (index: number) => string) => (index: number) =>
    `/platform-stats${path}${range(index)}`;
  return {
    'monthly-usage': ofService('monthly-usage?year=2026'),
    'yearly-usage-summary': ofService('yearly-usage-summary?year=2026'),
    'free-sms-fragment-limit': ofService('free-sms-fragment-limit'),
    'services-with-usage': (index) => `/organisations/${organisation(index)}/services-with-usage?year=2026`,
    'platform-stats': stats('', anywhere),
    'data-for-billing-report': stats('/data-for-billing-report', inYear),
    'data-for-dvla-billing-report': stats('/data-for-dvla-billing-report', inYear),
    'daily-volumes-report': stats('/daily-volumes-report', anywhere),
    'daily-sms-provider-volumes-report': stats('/daily-sms-provider-volumes-report', anywhere),
    'volumes-by-service': stats('/volumes-by-service', anywhere),
    'performance-dashboard': () => '/performance-dashboard',
    'live-services-data': () => '/service/live-services-data',
    'monthly-data-by-service': (index) => `/service/monthly-data-by-service${anywhere(index)}`,
  };
}

function report(results: Map<string, number>[]) {
  const [few, many] = results;
  const rows = [...(many?.keys() ?? [])].map((endpoint) => {
    const [before, after] = [few?.get(endpoint) ?? 0, many?.get(endpoint) ?? 0];
    return {
      endpoint,
      'p95 ms, 200,000 messages': round(before),
      'p95 ms, 2,000,000 messages': round(after),
      ratio: round(after / before),
    };
  });
  return {
    rows,
    figures: {
      worst_p95_ms: Math.max(...rows.map((row) => row['p95 ms, 2,000,000 messages'])),
      worst_ratio: Math.max(...rows.map((row) => row.ratio)),
    },
  };
}

function dates(start: string, end: string): string {
  return `?start_date=${start}&end_date=${end}`;
}

const secret = 'secret-of-the-benchmark';
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
