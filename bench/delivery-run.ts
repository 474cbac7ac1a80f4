import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { EmbeddedPostgres } from '../src/libraries/embedded-postgres/embedded-postgres.ts';
import type { GatewayOrder, GatewayReport } from './gateway.ts';
import type { Progress } from './measurement.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import {
  cpuMs,
  cpuMsOfFamily,
  profilingFlags,
  quantile,
  runInProcess,
  startInProcess,
  startProduct,
} from './processes.ts';
import { manySenders, type Sender } from './sender.ts';
import { postmasterOf } from './temporary-database.ts';

/** One end-to-end measurement: accepted, handed to a provider, receipt recorded, delivered. */
export interface DeliveryRun {
  services: number;
  channel: 'sms' | 'email';
  /** `http`: a gateway that is called over HTTP and sends receipts over HTTP. */
  provider: 'sandbox' | 'http';
  per_second: number;
  seconds: number;
  /** Until connections have planned their statements. */
  warmUp_s?: number;
}

export interface Bed {
  server: EmbeddedPostgres;
  database: pg.Client;
  environment: Record<string, string>;
  progress: Progress;
}

const templatesEach = 3;

export async function measureDelivery(bed: Bed, run: DeliveryRun) {
  const { progress, database, server } = bed;
  const gateway =
    run.provider === 'http'
      ? await startInProcess<GatewayOrder>('gateway', { answer_ms: 20, receipt_ms: 100, connections: 100 })
      : undefined;
  const environment = { ...bed.environment, ...(gateway ? gatewaySettings(gateway.port) : {}) };
  const api = await startProduct('api', environment);
  const settings = { ...environment, BASE_URL: `http://127.0.0.1:${api.port}` };
  const worker = await startProduct('worker', settings, profilingFlags());
  try {
    progress(`making ${run.services} services`);
    const senders = await manySenders(api.port, run.services, templatesOf(run.channel));
    const load = (seconds: number): PacedOrder => orderOf(run, api.port, senders, seconds);
    progress('warming up');
    await runInProcess<PacedOrder, PacedReport>('paced-load', load(run.warmUp_s ?? 3));
    await untilDelivered(progress, database);
    await database.query('truncate sandbox_messages');
    const mark = new Date();
    const postmaster = postmasterOf(server);
    const spent = () => ({ api: cpuMs(api.pid), worker: cpuMs(worker.pid), database: cpuMsOfFamily(postmaster) });
    const before = spent();
    const receiptsBefore = (await gateway?.report<GatewayReport>())?.receipts ?? 0;
    progress(`${run.per_second} messages a second for ${run.seconds} s`);
    const report = await runInProcess<PacedOrder, PacedReport>('paced-load', load(run.seconds));
    const loaded = performance.now();
    const receiptsMeanwhile = ((await gateway?.report<GatewayReport>())?.receipts ?? 0) - receiptsBefore;
    await untilDelivered(progress, database);
    const after = spent();
    const each = (part: 'api' | 'worker' | 'database') => round((after[part] - before[part]) / report.accepted);
    const result = await timesSince(database, mark);
    const accept_p99_ms = quantile(
      report.latencies_ms.sort((left, right) => left - right),
      0.99,
    );
    return {
      offered_per_s: run.per_second,
      delivered_per_s: Math.round(result.delivered / result.seconds),
      cpu_ms_per_message: round(each('api') + each('worker') + each('database')),
      api_cpu_ms_per_message: each('api'),
      worker_cpu_ms_per_message: each('worker'),
      database_cpu_ms_per_message: each('database'),
      load_cpu_ms_per_message: round(report.cpu_ms / report.accepted),
      accept_p99_ms: Math.round(accept_p99_ms),
      to_provider_p50_ms: ms(result.sent[0]),
      to_provider_p99_ms: ms(result.sent[2]),
      to_provider_ratio_to_accept: Number((ms(result.sent[2]) / accept_p99_ms).toFixed(2)),
      to_delivered_p50_ms: ms(result.done[0]),
      to_delivered_p99_ms: ms(result.done[2]),
      drained_after_ms: Math.round(performance.now() - loaded),
      not_delivered: report.accepted - result.delivered,
      not_accepted: Object.values(report.errors).reduce((sum, count) => sum + count, 0),
      ...(gateway ? { receipts_per_s_meanwhile: Math.round(receiptsMeanwhile / report.seconds) } : {}),
    };
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
    gateway?.stop();
  }
}

export function gatewaySettings(port: number): Record<string, string> {
  return { SMS_PROVIDERS: 'mmg', MMG_URL: `http://127.0.0.1:${port}/`, MMG_API_KEY: 'x' };
}

function orderOf(run: DeliveryRun, port: number, senders: Sender[], seconds: number): PacedOrder {
  const { per_second, channel } = run;
  return { port, connections: 100, per_second, messages: per_second * seconds, senders, channel };
}

function templatesOf(channel: 'sms' | 'email'): object[] {
  return Array.from({ length: templatesEach }, (_, number) => ({
    template_type: channel,
    content: `Dear ((name)), your appointment is on ((day)). Text ${number}.`,
    ...(channel === 'email' ? { subject: 'Your appointment on ((day))' } : {}),
  }));
}

export async function timesSince(database: pg.Client, mark: Date) {
  const { rows } = await database.query(
    `select count(*)::int as delivered,
      extract(epoch from max(updated_at) - min(created_at))::float8 as seconds,
      percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by extract(epoch from sent_at - created_at)) as sent,
      percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by extract(epoch from updated_at - created_at)) as done
    from notifications where created_at >= $1 and status = 'delivered'`,
    [mark],
  );
  return rows[0] as { delivered: number; seconds: number; sent: number[]; done: number[] };
}

/** Fails after half a minute without progress. */
export async function untilDelivered(progress: Progress, database: pg.Client): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  for (;;) {
    const { rows } = await database.query(
      `select (select count(*)::int from delivery_queue) as queued,
        (select sum(count)::int from status_counts where status in ('created', 'sending') and key_type <> 'test') as open`,
    );
    const { queued, open } = rows[0] as { queued: number; open: number };
    if (queued + open === 0) return;
    progress(`waiting for ${queued} in the queue, ${open} are not delivered`);
    if (queued + open < least) {
      least = queued + open;
      movedAt = performance.now();
    } else if (performance.now() - movedAt > 30_000) {
      throw new Error(`${queued} messages stay in the queue, and ${open} are not delivered`);
    }
    await sleep(200);
  }
}

export function ms(value: unknown): number {
  return Math.round(Number(value) * 1_000);
}

export function round(value: number): number {
  return Number(value.toFixed(3));
}
