import pg from 'pg';
import type { LoadOrder, LoadReport } from './accept-load.ts';
import { AcceptRuns, connections, type RunOrder, ratioOfTurns, recordTurn, round, type Turns } from './accept-run.ts';
import type { BareRouteOrder, BareRouteReport } from './bare-route.ts';
import type { Measurement, Progress } from './measurement.ts';
import {
  cpuMsOfFamily,
  median,
  type Product,
  profilingFlags,
  quantile,
  rssMb,
  runInProcess,
  startInProcess,
  startProduct,
} from './processes.ts';
import { alwaysOpen, manySenders } from './sender.ts';
import { type InsertOrder, type InsertReport, tableFor } from './single-inserts.ts';
import { postmasterOf, temporaryDatabase } from './temporary-database.ts';

/**
 * Messages accepted per second by one process: text messages of one service, of one with sending times, of 100 and of 1,000, and emails. Compared with
 * single durable inserts in the same database: of the row that accepting stores, and of a row of two columns, the upper limit
 * of any database. And with a bare Fastify route that inserts one row. All of them take turns of a few seconds, and figures are medians of the turns: the speed of a virtual
 * machine changes by half within a minute. Every second turn has the reverse order, because the first run after the inserts is slower.
 */
export const name = 'accept';

const targets = {
  one_service_cpu_ms: '<= 0.12 (API and PostgreSQL)',
  ratio: '>= 1.1',
  ratio_of_100_services_to_one: '>= 0.9',
  ratio_of_sending_times_to_none: '>= 0.97',
  cpu_ratio_to_bare_route: '<= 1',
  p99_ratio_to_bare_route: '<= 2',
  one_service_p99_ms: '< 60',
  errors: '0',
  lost: '0',
  rss_growth_mb: '< 50',
};

/** The seconds that each run takes, in all its turns. */
const measured_s = Number(process.env.BENCH_SECONDS ?? 60);
const turns = 10;
const inserts_s = 2;
const wanted = process.env.BENCH_RUNS?.split(',');
const warmUp_s = 4;

const runs: Record<string, { services: number; channel: 'sms' | 'email'; withSendingTimes?: true }> = {
  '1000_services': { services: 1_000, channel: 'sms' },
  email: { services: 1, channel: 'email' },
  '100_services': { services: 100, channel: 'sms' },
  // Always open, so that it stores as much: what it takes to look at them.
  sending_times: { services: 1, channel: 'sms', withSendingTimes: true },
  one_service: { services: 1, channel: 'sms' },
};

export async function run(progress: Progress): Promise<Measurement> {
  progress('starting PostgreSQL and one API process');
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  let product: Product | undefined;
  let bareRoute: BenchProcess | undefined;
  try {
    product = await startProduct('api', environment, profilingFlags());
    const { port, pid } = product;
    await database.connect();
    const postmaster = postmasterOf(server);
    const load = new AcceptRuns({ progress, port, pid, database, postmaster });
    const orders = new Map<string, RunOrder>();
    for (const [name, { services, channel, withSendingTimes }] of Object.entries(runs)) {
      if (wanted && !wanted.includes(name)) continue;
      progress(`creating ${services} services`);
      const order = { senders: await manySenders(port, services, templatesOf(channel)), channel };
      if (withSendingTimes) await alwaysOpen(port, order.senders);
      orders.set(name, order);
      progress(`${name}: warming up for ${warmUp_s} s`);
      await load.send(order, warmUp_s);
    }
    const insertsPerSecond = async (rows: InsertOrder['rows']) => {
      const order: InsertOrder = { ...server.connection, rows, clients: connections, seconds: inserts_s };
      progress(`single-row durable inserts (${rows}) by ${connections} clients for ${order.seconds} s`);
      const { inserts, seconds } = await runInProcess<InsertOrder, InsertReport>('single-inserts', order);
      return Math.round(inserts / seconds);
    };
    bareRoute = await startInProcess<BareRouteOrder>('bare-route', { databaseUrl: server.url });
    await requestBareRoute(bareRoute, postmaster);
    for (const rows of ['messages', 'bare'] as const) await database.query(tableFor(rows));
    const rssBefore = rssMb(pid);
    const perTurn: Turns = {};
    const detail: Record<string, string | number>[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const [name, order] of turn % 2 === 0 ? [...orders].reverse() : orders) {
        progress(`turn ${turn} of ${turns}: ${name}`);
        const measured = await load.measure(order, measured_s / turns);
        detail.push({ turn, run: name, ...measured });
        recordTurn(perTurn, `${name}_per_s`, measured.accepted_per_s);
        recordTurn(perTurn, `${name}_cpu_ms`, measured.cpu_ms_per_request);
        recordTurn(perTurn, `${name}_p50_ms`, measured.p50_ms);
        recordTurn(perTurn, `${name}_p99_ms`, measured.p99_ms);
        if (name === 'one_service') recordTurn(perTurn, 'api_cpu_ms_per_request', measured.api_cpu_ms_per_request);
      }
      progress(`a bare route by ${connections} clients for ${inserts_s} s`);
      for (const [figure, value] of Object.entries(await requestBareRoute(bareRoute, postmaster))) {
        recordTurn(perTurn, `bare_route_${figure}`, value);
      }
      recordTurn(perTurn, 'single_inserts_of_such_rows_per_s', await insertsPerSecond('messages'));
      recordTurn(perTurn, 'single_inserts_of_bare_rows_per_s', await insertsPerSecond('bare'));
    }
    const rss_growth_mb = round(rssMb(pid) - rssBefore, 0);
    progress('looking for every accepted message in the database');
    const figures = {
      ...Object.fromEntries(Object.entries(perTurn).map(([figure, values]) => [figure, median(values)])),
      ...ratiosOf(perTurn),
      ...{ rss_growth_mb, errors: load.errors, lost: await load.countLost() },
    };
    return { figures, targets, detail };
  } finally {
    bareRoute?.stop();
    await database.end();
    await product?.stop();
    await remove();
  }
}

type BenchProcess = Awaited<ReturnType<typeof startInProcess>>;

async function requestBareRoute(
  { port, report: ask }: BenchProcess,
  postmaster: number,
): Promise<Record<'per_s' | 'cpu_ms' | 'p50_ms' | 'p99_ms', number>> {
  const cpuNow = async () => (await ask<BareRouteReport>()).cpu_ms + cpuMsOfFamily(postmaster);
  const before = await cpuNow();
  const senders = [{ service_id: 'none', secret: 'none', template_id: 'none' }];
  const order: LoadOrder = { port, connections, seconds: inserts_s, senders, channel: 'sms' };
  const report = await runInProcess<LoadOrder, LoadReport>('accept-load', order);
  const latencies = report.latencies_ms.sort((left, right) => left - right);
  return {
    per_s: round(report.ids.length / report.seconds, 0),
    cpu_ms: round(((await cpuNow()) - before) / report.ids.length, 3),
    p50_ms: round(quantile(latencies, 0.5), 1),
    p99_ms: round(quantile(latencies, 0.99), 1),
  };
}

function ratiosOf(perTurn: Turns): Record<string, number> {
  const ratios = {
    ratio: ratioOfTurns(perTurn, 'one_service_per_s', 'single_inserts_of_such_rows_per_s'),
    ratio_to_bare_rows: ratioOfTurns(perTurn, 'one_service_per_s', 'single_inserts_of_bare_rows_per_s'),
    ratio_of_100_services_to_one: ratioOfTurns(perTurn, '100_services_per_s', 'one_service_per_s'),
    ratio_of_sending_times_to_none: ratioOfTurns(perTurn, 'sending_times_per_s', 'one_service_per_s'),
    ratio_to_bare_route: ratioOfTurns(perTurn, 'one_service_per_s', 'bare_route_per_s'),
    cpu_ratio_to_bare_route: ratioOfTurns(perTurn, 'one_service_cpu_ms', 'bare_route_cpu_ms'),
    p50_ratio_to_bare_route: ratioOfTurns(perTurn, 'one_service_p50_ms', 'bare_route_p50_ms'),
    p99_ratio_to_bare_route: ratioOfTurns(perTurn, 'one_service_p99_ms', 'bare_route_p99_ms'),
  };
  return Object.fromEntries(
    Object.entries(ratios).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function templatesOf(channel: 'sms' | 'email'): object[] {
  return [1, 2, 3].map((number) => ({
    template_type: channel,
    content: `Dear ((name)), your appointment ${number} is on ((day)). Reference: ((reference)).`,
    ...(channel === 'email' ? { subject: 'Your appointment on ((day))' } : {}),
  }));
}
