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
import { aSender } from './sender.ts';
import { type InsertOrder, type InsertReport, tableFor } from './single-inserts.ts';
import { throwAwayDatabase } from './throw-away-database.ts';

/**
 * Text messages accepted per second by one process, beside what the same database does with single durable inserts: of
 * the row that accepting stores, and of a bare row of two columns, which is all that a database could ever do.
 */
export const name = 'accept';

const targets = { ratio: '>= 0.5', p99_ms: '< 60', errors: '0', lost: '0', rss_growth_mb: '< 50' };

const connections = 64;
const measured_s = Number(process.env.BENCH_SECONDS ?? 120);
const warmUp_s = 4;

export async function run(progress: Progress): Promise<Measurement> {
  progress('starting PostgreSQL and one API process');
  const { server, environment, remove } = await throwAwayDatabase();
  const database = new pg.Client({ connectionString: server.url });
  let product: Product | undefined;
  try {
    product = await startProduct('api', environment, profilingFlags());
    const { service_id, secret, template_id } = await aSender(product.port, {
      template_type: 'sms',
      content: 'Dear ((name)), your appointment is on ((day)). Reference: ((reference)).',
    });
    const order: LoadOrder = { port: product.port, connections, seconds: warmUp_s, service_id, secret, template_id };
    await database.connect();
    const insertsPerSecond = async (rows: InsertOrder['rows']) => {
      const order: InsertOrder = { ...server.connection, rows, clients: connections, seconds: Math.min(measured_s, 8) };
      progress(`single-row durable inserts (${rows}) by ${connections} clients for ${order.seconds} s`);
      await database.query(tableFor(rows));
      const { inserts, seconds } = await runAside<InsertOrder, InsertReport>('single-inserts', order);
      return inserts / seconds;
    };
    const { rows } = await database.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);

    progress(`warming up for ${warmUp_s} s`);
    const warm = await runAside<LoadOrder, LoadReport>('accept-load', order);
    const insertRate = await insertsPerSecond('messages');
    const bareInsertRate = await insertsPerSecond('bare');

    progress(`sending through ${connections} connections for ${measured_s} s`);
    await database.query('checkpoint');
    const before = { rss: rssMb(product.pid), api: cpuMs(product.pid), database: cpuMsOfFamily(postmaster) };
    const report = await runAside<LoadOrder, LoadReport>('accept-load', { ...order, seconds: measured_s });
    const accepted = report.ids.length;
    const api_ms = (cpuMs(product.pid) - before.api) / accepted;
    const database_ms = (cpuMsOfFamily(postmaster) - before.database) / accepted;
    const rss = rssMb(product.pid);

    progress('looking for every accepted message in the database');
    const lost = await countLost(database, [...warm.ids, ...report.ids]);
    const latencies = report.latencies_ms.sort((left, right) => left - right);
    const errors = Object.values(report.errors).reduce((sum, count) => sum + count, 0);
    const figures = {
      accepted_per_s: round(accepted / report.seconds, 0),
      single_inserts_of_such_rows_per_s: round(insertRate, 0),
      ratio: round(accepted / report.seconds / insertRate, 2),
      single_inserts_of_bare_rows_per_s: round(bareInsertRate, 0),
      ratio_to_bare_rows: round(accepted / report.seconds / bareInsertRate, 2),
      p50_ms: round(quantile(latencies, 0.5), 1),
      p99_ms: round(quantile(latencies, 0.99), 1),
      api_cpu_ms_per_request: round(api_ms, 3),
      database_cpu_ms_per_request: round(database_ms, 3),
      load_cpu_ms_per_request: round(report.cpu_ms / accepted, 3),
      rss_growth_mb: round(rss - before.rss, 0),
      errors,
      lost,
    };
    for (const [what, count] of Object.entries(report.errors)) progress(`${count} times ${what}`);
    return { figures, targets };
  } finally {
    await database.end();
    await product?.stop();
    await remove();
  }
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
