import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { besideBareLoop } from './compare-loop.ts';
import { type DeliveryRun, measureDelivery, ms, round } from './delivery-run.ts';
import type { Measurement, Progress } from './measurement.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import { runInProcess, startProduct } from './processes.ts';
import { aSender, type Sender } from './sender.ts';
import { temporaryDatabase } from './temporary-database.ts';

/**
 * End to end: accepted, handed to a provider, its receipt recorded, delivered; with one service, with many, by email, and
 * through a gateway over HTTP. Then how long the messages of one service wait while another has 25,000 bulk messages
 * queued. Load, product and PostgreSQL share this machine. The headline is the processor time per message of API, worker
 * and PostgreSQL together, compared with that of a bare loop in the same database (bare-loop.ts).
 */
export const name = 'deliver';

const seconds = Number(process.env.BENCH_SECONDS ?? 30);
/** Instead of the rates of the runs. */
const rate = process.env.BENCH_RATE === undefined ? undefined : Number(process.env.BENCH_RATE);
const queued = Number(process.env.BENCH_QUEUED ?? 25_000);
const wanted = process.env.BENCH_RUNS?.split(',');

/** More is offered than the target of messages delivered per second; latencies are measured where the machine is not saturated. */
const runs: Record<string, Omit<DeliveryRun, 'seconds'>> = {
  one_service: { services: 1, channel: 'sms', provider: 'sandbox', per_second: 3_200 },
  '100_services': { services: 100, channel: 'sms', provider: 'sandbox', per_second: 2_700 },
  one_service_at_2000: { services: 1, channel: 'sms', provider: 'sandbox', per_second: 2_000 },
  '1000_services': { services: 1_000, channel: 'sms', provider: 'sandbox', per_second: 2_000 },
  email: { services: 1, channel: 'email', provider: 'sandbox', per_second: 2_700 },
  email_at_2000: { services: 1, channel: 'email', provider: 'sandbox', per_second: 2_000 },
  email_of_100_services: { services: 100, channel: 'email', provider: 'sandbox', per_second: 2_000 },
  over_http: { services: 1, channel: 'sms', provider: 'http', per_second: 2_000 },
};

const headlines = [
  'delivered_per_s',
  'cpu_ms_per_message',
  'cpu_ratio_to_bare_loop',
  'to_provider_p99_ms',
  'to_provider_ratio_to_accept',
  'not_delivered',
] as const;

export async function run(progress: Progress): Promise<Measurement> {
  const figures: Record<string, number> = {};
  const detail: Record<string, string | number>[] = [];
  for (const [name, run] of Object.entries(runs)) {
    if (wanted && !wanted.includes(name)) continue;
    const measured = await withDatabase((given) => {
      const bed = { ...given, progress };
      return besideBareLoop(bed, () => measureDelivery(bed, { ...run, per_second: rate ?? run.per_second, seconds }));
    });
    detail.push({ run: name, ...measured });
    for (const headline of headlines) {
      figures[`${name}_${headline}`] = measured[headline];
    }
    for (const [figure, value] of Object.entries(measured)) progress(`${name} ${figure} ${value}`);
  }
  if (!wanted || wanted.includes('overtaking')) {
    Object.assign(figures, await withDatabase((bed) => measureOvertaking(progress, bed.database, bed.environment)));
  }
  return { figures, targets, detail };
}

/** Each on a new database, so that the data of one does not slow down the next. */
export async function withDatabase<T>(
  work: (bed: Pick<Parameters<typeof measureDelivery>[0], 'server' | 'database' | 'environment'>) => Promise<T>,
): Promise<T> {
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  await database.connect();
  try {
    return await work({ server, database, environment: { ...environment, SANDBOX_DELAY_MS: '100' } });
  } finally {
    await database.end().catch(() => undefined);
    await remove();
  }
}

/** The provider accepts 500 a second, so that the queue stays long; the other service sends 40 a second. */
async function measureOvertaking(progress: Progress, database: pg.Client, environment: Record<string, string>) {
  const paced = { ...environment, PROVIDER_RATES: 'sandbox:500', SANDBOX_RECEIPTS: 'hold' };
  const api = await startProduct('api', paced);
  const load = (senders: Sender[], messages: number) =>
    runInProcess<PacedOrder, PacedReport>('paced-load', {
      port: api.port,
      connections: 20,
      per_second: 40,
      messages,
      senders,
    });
  try {
    progress('the other service sends while no message waits');
    const alone = await aSender(api.port, reminder('normal'));
    const first = await startProduct('worker', paced);
    await load([alone], 200);
    await first.stop();
    const wait_p99_ms_without_queue = await longestWait(database, alone.template_id);
    progress(`queueing ${queued} bulk messages of one service`);
    const crowd = await aSender(api.port, reminder('bulk'));
    const fill = { port: api.port, connections: 100, per_second: 5_000, messages: queued, senders: [crowd] };
    await runInProcess<PacedOrder, PacedReport>('paced-load', fill);
    const normal = await aSender(api.port, reminder('normal'));
    const priority = await aSender(api.port, reminder('priority'));
    const worker = await startProduct('worker', paced);
    try {
      await sleep(1_000);
      progress('another service sends at the same time');
      await load([normal, priority], 600);
      await sleep(3_000);
      const left = await database.query('select count(*)::int as n from delivery_queue where lane = 2');
      const normal_wait_p99_ms = await longestWait(database, normal.template_id);
      const priority_wait_p99_ms = await longestWait(database, priority.template_id);
      return {
        still_queued: left.rows[0].n as number,
        wait_p99_ms_without_queue,
        normal_wait_p99_ms,
        normal_wait_ratio: round(normal_wait_p99_ms / wait_p99_ms_without_queue),
        priority_wait_p99_ms,
        priority_wait_ratio: round(priority_wait_p99_ms / wait_p99_ms_without_queue),
      };
    } finally {
      await worker.stop();
    }
  } finally {
    await api.stop();
  }
}

/** The 99th percentile of the wait; a message that was never handed over counts as waiting until now. */
async function longestWait(database: pg.Client, template: string): Promise<number> {
  const { rows } = await database.query(
    `select percentile_cont(0.99) within group (order by extract(epoch from coalesce(sent_at, now()) - created_at)) as p99
    from notifications where template_id = $1`,
    [template],
  );
  return ms(rows[0].p99);
}

function reminder(process_type: 'normal' | 'bulk' | 'priority') {
  return { template_type: 'sms', content: 'Dear ((name)), your appointment is on ((day)).', process_type };
}

const targets: Record<string, string> = {
  one_service_delivered_per_s: '>= 3000',
  '100_services_delivered_per_s': '>= 2500',
  one_service_cpu_ms_per_message: '<= 0.65',
  '100_services_cpu_ms_per_message': '<= 0.8',
  one_service_cpu_ratio_to_bare_loop: '<= 1',
  '100_services_cpu_ratio_to_bare_loop': '<= 1.2',
  one_service_at_2000_to_provider_p99_ms: '<= 500',
  email_delivered_per_s: '>= 2500',
  email_cpu_ms_per_message: '<= 0.65',
  email_at_2000_to_provider_p99_ms: '<= 500',
  email_not_delivered: '0',
  one_service_not_delivered: '0',
  '100_services_not_delivered': '0',
  over_http_not_delivered: '0',
  normal_wait_p99_ms: '< 2000',
  priority_wait_p99_ms: '< 1000',
};
