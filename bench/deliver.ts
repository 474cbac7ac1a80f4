import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../src/platform/db/embedded.ts';
import type { Measurement, Progress } from './measurement.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import { cpuMs, cpuMsOfFamily, runAside, startProduct } from './processes.ts';
import { aSender } from './sender.ts';
import { throwAwayDatabase } from './throw-away-database.ts';

/**
 * The whole way: accepted, handed to the sandbox, its receipt recorded, delivered. Then how long the messages of one
 * service wait while another has 25,000 bulk messages queued. Load, product and PostgreSQL share this machine.
 */
export const name = 'deliver';

const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const perSecond = Number(process.env.BENCH_RATE ?? 1_200);
const queued = Number(process.env.BENCH_QUEUED ?? 25_000);

export async function run(progress: Progress): Promise<Measurement> {
  progress('starting PostgreSQL');
  const { server, environment, remove } = await throwAwayDatabase();
  const database = new pg.Client({ connectionString: server.url });
  try {
    const withReceipts = { ...environment, SANDBOX_DELAY_MS: '100' };
    const throughput = await measureThroughput(progress, server, database, withReceipts);
    const overtaking = await measureOvertaking(progress, database, withReceipts);
    return { figures: { ...throughput, ...overtaking }, targets };
  } finally {
    await database.end().catch(() => undefined);
    await remove();
  }
}

type Environment = Record<string, string>;

async function measureThroughput(
  progress: Progress,
  server: EmbeddedPostgres,
  database: pg.Client,
  environment: Environment,
) {
  const api = await startProduct('api', environment);
  const worker = await startProduct('worker', environment);
  await database.connect();
  try {
    const senders = [await aSender(api.port, reminder('normal'))];
    const load = (s: number): PacedOrder => ({
      port: api.port,
      connections: 100,
      per_second: perSecond,
      messages: perSecond * s,
      senders,
    });
    progress('warming up');
    await runAside<PacedOrder, PacedReport>('paced-load', load(4));
    await untilDelivered(progress, database);
    await database.query('truncate sandbox_messages');
    const mark = (await database.query('select clock_timestamp() as now')).rows[0].now as Date;
    const postmaster = Number(readFileSync(join(server.location, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const before = { worker: cpuMs(worker.pid), database: cpuMsOfFamily(postmaster) };
    progress(`${perSecond} messages a second for ${seconds} s`);
    const report = await runAside<PacedOrder, PacedReport>('paced-load', load(seconds));
    await untilDelivered(progress, database);
    const messages = report.accepted;
    const { rows } = await database.query(
      `select count(*)::int as delivered,
        extract(epoch from max(updated_at) - min(created_at))::float8 as seconds,
        percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by extract(epoch from sent_at - created_at)) as sent,
        percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by extract(epoch from updated_at - created_at)) as done
      from notifications where created_at >= $1 and status = 'delivered'`,
      [mark],
    );
    const [result] = rows;
    return {
      offered_per_s: perSecond,
      delivered_per_s: Math.round(result.delivered / result.seconds),
      delivered: result.delivered,
      not_delivered: messages - result.delivered,
      not_accepted: Object.values(report.errors).reduce((sum, count) => sum + count, 0),
      to_provider_p50_ms: ms(result.sent[0]),
      to_provider_p99_ms: ms(result.sent[2]),
      to_delivered_p50_ms: ms(result.done[0]),
      to_delivered_p99_ms: ms(result.done[2]),
      worker_cpu_ms_per_message: round((cpuMs(worker.pid) - before.worker) / messages),
      database_cpu_ms_per_message: round((cpuMsOfFamily(postmaster) - before.database) / messages),
    };
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
  }
}

/** The provider takes 500 a second, so that the queue stays long; the other service sends 40 a second. */
async function measureOvertaking(progress: Progress, database: pg.Client, environment: Environment) {
  const paced = { ...environment, PROVIDER_RATES: 'sandbox:500', SANDBOX_RECEIPTS: 'hold' };
  const api = await startProduct('api', paced);
  try {
    progress(`queueing ${queued} bulk messages of one service`);
    const crowd = await aSender(api.port, reminder('bulk'));
    const fill = { port: api.port, connections: 100, per_second: 5_000, messages: queued, senders: [crowd] };
    await runAside<PacedOrder, PacedReport>('paced-load', fill);
    const normal = await aSender(api.port, reminder('normal'));
    const priority = await aSender(api.port, reminder('priority'));
    const worker = await startProduct('worker', paced);
    try {
      await sleep(1_000);
      progress('another service sends meanwhile');
      const order = { port: api.port, connections: 20, per_second: 40, messages: 600, senders: [normal, priority] };
      await runAside<PacedOrder, PacedReport>('paced-load', order);
      await sleep(3_000);
      const left = await database.query('select count(*)::int as n from delivery_queue where lane = 2');
      return {
        still_queued: left.rows[0].n as number,
        normal_wait_p99_ms: await longestWait(database, normal.template_id),
        priority_wait_p99_ms: await longestWait(database, priority.template_id),
      };
    } finally {
      await worker.stop();
    }
  } finally {
    await api.stop();
  }
}

/** Of a hundred messages the wait of the last but one; what never went out counts as waiting until now. */
async function longestWait(database: pg.Client, template: string): Promise<number> {
  const { rows } = await database.query(
    `select percentile_cont(0.99) within group (order by extract(epoch from coalesce(sent_at, now()) - created_at)) as p99
    from notifications where template_id = $1`,
    [template],
  );
  return ms(rows[0].p99);
}

/** Gives up when nothing has moved for half a minute. */
async function untilDelivered(progress: Progress, database: pg.Client): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  for (;;) {
    const { rows } = await database.query(
      `select (select count(*)::int from delivery_queue) as queued,
        (select count(*)::int from sandbox_messages where receipt_due_at is not null) as unconfirmed`,
    );
    const { queued, unconfirmed } = rows[0] as { queued: number; unconfirmed: number };
    if (queued + unconfirmed === 0) return;
    progress(`waiting for ${queued} in the queue and ${unconfirmed} receipts`);
    if (queued + unconfirmed < least) {
      least = queued + unconfirmed;
      movedAt = performance.now();
    } else if (performance.now() - movedAt > 30_000) {
      throw new Error(`${queued} messages stay in the queue, and ${unconfirmed} without a receipt`);
    }
    await sleep(200);
  }
}

function reminder(process_type: 'normal' | 'bulk' | 'priority') {
  return { template_type: 'sms', content: 'Dear ((name)), your appointment is on ((day)).', process_type };
}

const targets: Record<string, string> = {
  delivered_per_s: '>= 1000',
  not_delivered: '0',
  not_accepted: '0',
  normal_wait_p99_ms: '< 2000',
  priority_wait_p99_ms: '< 1000',
};

function ms(value: unknown): number {
  return Math.round(Number(value) * 1_000);
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
