import pg from 'pg';
import type { LoadOrder, LoadReport } from './accept-load.ts';
import type { Measurement, Progress } from './measurement.ts';
import {
  cpuMs,
  cpuMsOfFamily,
  type Product,
  parentOf,
  profilingFlags,
  quantile,
  rssMb,
  runAside,
  startProduct,
} from './processes.ts';
import { manySenders } from './sender.ts';
import { type InsertOrder, type InsertReport, tableFor } from './single-inserts.ts';
import { throwAwayDatabase } from './throw-away-database.ts';

/**
 * Messages accepted per second by one process: text messages of one service, of 100 and of 1,000, and emails. Compared with
 * single durable inserts in the same database in the same minute: of the row that accepting stores, and of a row of
 * two columns, the upper limit of any database.
 */
export const name = 'accept';

const targets = {
  one_service_cpu_ms: '<= 0.12 (API and PostgreSQL)',
  ratio: '>= 1.1',
  ratio_of_100_services_to_one: '>= 0.9',
  one_service_p99_ms: '< 60',
  errors: '0',
  lost: '0',
  rss_growth_mb: '< 50',
};

const connections = 64;
const measured_s = Number(process.env.BENCH_SECONDS ?? 60);
const wanted = process.env.BENCH_RUNS?.split(',');
const warmUp_s = 4;

const runs: Record<string, { services: number; channel: 'sms' | 'email' }> = {
  one_service: { services: 1, channel: 'sms' },
  '100_services': { services: 100, channel: 'sms' },
  '1000_services': { services: 1_000, channel: 'sms' },
  email: { services: 1, channel: 'email' },
};

export async function run(progress: Progress): Promise<Measurement> {
  progress('starting PostgreSQL and one API process');
  const { server, environment, remove } = await throwAwayDatabase();
  const database = new pg.Client({ connectionString: server.url });
  let product: Product | undefined;
  try {
    product = await startProduct('api', environment, profilingFlags());
    const { port, pid } = product;
    await database.connect();
    const { rows } = await database.query('select pg_backend_pid() as pid');
    const bed = { progress, port, pid, database, postmaster: parentOf(rows[0].pid) };
    const insertsPerSecond = async (rows: InsertOrder['rows']) => {
      const order: InsertOrder = { ...server.connection, rows, clients: connections, seconds: Math.min(measured_s, 8) };
      progress(`single-row durable inserts (${rows}) by ${connections} clients for ${order.seconds} s`);
      await database.query(tableFor(rows));
      const { inserts, seconds } = await runAside<InsertOrder, InsertReport>('single-inserts', order);
      return Math.round(inserts / seconds);
    };
    const figures: Record<string, number> = { errors: 0, lost: 0 };
    const detail: Record<string, string | number>[] = [];
    for (const [name, { services, channel }] of Object.entries(runs)) {
      if (wanted && !wanted.includes(name)) continue;
      progress(`making ${services} services`);
      const senders = await manySenders(port, services, templatesOf(channel));
      const measured = await measureAccept(bed, { senders, channel });
      detail.push({ run: name, ...measured });
      figures[`${name}_per_s`] = measured.accepted_per_s;
      figures[`${name}_cpu_ms`] = measured.cpu_ms_per_request;
      figures[`${name}_p99_ms`] = measured.p99_ms;
      figures.rss_growth_mb = Math.max(figures.rss_growth_mb ?? 0, measured.rss_growth_mb);
      figures.errors = (figures.errors ?? 0) + measured.errors;
      figures.lost = (figures.lost ?? 0) + measured.lost;
      for (const [figure, value] of Object.entries(measured)) progress(`${name} ${figure} ${value}`);
      if (name !== 'one_service') continue;
      figures.single_inserts_of_such_rows_per_s = await insertsPerSecond('messages');
      figures.single_inserts_of_bare_rows_per_s = await insertsPerSecond('bare');
      figures.ratio = round(measured.accepted_per_s / figures.single_inserts_of_such_rows_per_s, 2);
      figures.ratio_to_bare_rows = round(measured.accepted_per_s / figures.single_inserts_of_bare_rows_per_s, 2);
      figures.api_cpu_ms_per_request = measured.api_cpu_ms_per_request;
    }
    const { one_service_per_s: one, '100_services_per_s': hundred } = figures;
    if (one && hundred) figures.ratio_of_100_services_to_one = round(hundred / one, 2);
    return { figures, targets, detail };
  } finally {
    await database.end();
    await product?.stop();
    await remove();
  }
}

interface Bed {
  progress: Progress;
  port: number;
  pid: number;
  database: pg.Client;
  postmaster: number;
}

async function measureAccept(
  { progress, port, pid, database, postmaster }: Bed,
  load: Pick<LoadOrder, 'senders' | 'channel'>,
) {
  const order: LoadOrder = { port, connections, seconds: warmUp_s, ...load };
  progress(`warming up for ${warmUp_s} s`);
  const warm = await runAside<LoadOrder, LoadReport>('accept-load', order);
  progress(`sending through ${connections} connections for ${measured_s} s`);
  await database.query('checkpoint');
  const before = { rss: rssMb(pid), api: cpuMs(pid), database: cpuMsOfFamily(postmaster) };
  const report = await runAside<LoadOrder, LoadReport>('accept-load', { ...order, seconds: measured_s });
  const accepted = report.ids.length;
  const api_ms = (cpuMs(pid) - before.api) / accepted;
  const database_ms = (cpuMsOfFamily(postmaster) - before.database) / accepted;
  const rss = rssMb(pid);
  for (const [what, count] of Object.entries(report.errors)) progress(`${count} times ${what}`);
  progress('looking for every accepted message in the database');
  const lost = await countLost(database, [...warm.ids, ...report.ids]);
  const latencies = report.latencies_ms.sort((left, right) => left - right);
  return {
    accepted_per_s: round(accepted / report.seconds, 0),
    cpu_ms_per_request: round(api_ms + database_ms, 3),
    api_cpu_ms_per_request: round(api_ms, 3),
    database_cpu_ms_per_request: round(database_ms, 3),
    load_cpu_ms_per_request: round(report.cpu_ms / accepted, 3),
    p50_ms: round(quantile(latencies, 0.5), 1),
    p99_ms: round(quantile(latencies, 0.99), 1),
    rss_growth_mb: round(rss - before.rss, 0),
    errors: Object.values(report.errors).reduce((sum, count) => sum + count, 0),
    lost,
  };
}

function templatesOf(channel: 'sms' | 'email'): object[] {
  return [1, 2, 3].map((number) => ({
    template_type: channel,
    content: `Dear ((name)), your appointment ${number} is on ((day)). Reference: ((reference)).`,
    ...(channel === 'email' ? { subject: 'Your appointment on ((day))' } : {}),
  }));
}

async function countLost(database: pg.Client, ids: string[]): Promise<number> {
  let lost = 0;
  for (let start = 0; start < ids.length; start += 10_000) {
    const some = ids.slice(start, start + 10_000);
    const { rows } = await database.query(
      'select count(*)::int as found from notifications where id = any ($1::uuid[])',
      [some],
    );
    lost += some.length - rows[0].found;
  }
  return lost;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
