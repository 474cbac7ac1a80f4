import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ms, round, timesSince, untilDelivered } from './delivery-run.ts';
import type { GatewayOrder, GatewayReport } from './gateway.ts';
import type { Measurement, Progress } from './measurement.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import { cpuMs, cpuMsOfFamily, parentOf, rssMb, runInProcess, startInProcess, startProduct } from './processes.ts';
import { aSender, manySenders } from './sender.ts';
import { temporaryDatabase } from './temporary-database.ts';

/**
 * Ten minutes of steady sending under every condition that used to slow it down: a snapshot held all the time, as by a
 * backup; a provider that takes five seconds; and a service whose messages cannot be composed. Run on demand:
 * `BENCH_SOAK_S=600 npm run bench -- soak`.
 */
export const name = 'soak';

const seconds = Number(process.env.BENCH_SOAK_S ?? 60);
const perSecond = Number(process.env.BENCH_RATE ?? 500);
const slowShare = 0.05;

export async function run(progress: Progress): Promise<Measurement> {
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  const snapshot = new pg.Client({ connectionString: server.url });
  await Promise.all([database.connect(), snapshot.connect()]);
  const slow = await startInProcess<GatewayOrder>('gateway', { answer_ms: 5_000, receipt_ms: 100, connections: 100 });
  const settings = {
    ...environment,
    SMS_PROVIDERS: 'sandbox,mmg',
    MMG_URL: `http://127.0.0.1:${slow.port}/`,
    MMG_API_KEY: 'x',
    DELIVERY_CONCURRENCY: '1000',
  };
  const api = await startProduct('api', settings);
  const worker = await startProduct('worker', { ...settings, BASE_URL: `http://127.0.0.1:${api.port}` });
  try {
    await database.query("update provider_details set priority = $1 where identifier = 'mmg'", [slowShare * 100]);
    await database.query(
      "update provider_details set priority = $1 where identifier = 'sandbox' and notification_type = 'sms'",
      [(1 - slowShare) * 100],
    );
    const senders = await manySenders(api.port, 100, [
      { template_type: 'sms', content: 'Dear ((name)), your appointment is on ((day)).' },
    ]);
    const poisoned = await aSender(api.port, { template_type: 'sms', content: 'Dear ((name))' });
    const order = (messages: number): PacedOrder => {
      return { port: api.port, connections: 100, per_second: perSecond, messages, senders };
    };
    await runInProcess<PacedOrder, PacedReport>('paced-load', order(perSecond * 3));
    await untilDelivered(progress, database);
    await runInProcess<PacedOrder, PacedReport>('paced-load', { ...order(20), per_second: 20, senders: [poisoned] });
    await database.query('update notifications set template_version = 99 where template_id = $1', [
      poisoned.template_id,
    ]);
    await snapshot.query('begin isolation level repeatable read read only');
    await snapshot.query('select count(*) from services');
    const postmaster = parentOf((await database.query('select pg_backend_pid() as pid')).rows[0].pid);
    const spent = () => cpuMs(api.pid) + cpuMs(worker.pid) + cpuMsOfFamily(postmaster);
    const minutes: Record<string, number>[] = [];
    const begun = (await database.query('select clock_timestamp() as now')).rows[0].now as Date;
    const steps = Math.max(1, Math.round(seconds / 60));
    for (let minute = 1; minute <= steps; minute += 1) {
      progress(`minute ${minute} of ${steps}`);
      const mark = (await database.query('select clock_timestamp() as now')).rows[0].now as Date;
      const before = spent();
      const report = await runInProcess<PacedOrder, PacedReport>(
        'paced-load',
        order(perSecond * Math.min(60, seconds)),
      );
      await sleep(7_000);
      const { delivered, sent } = await timesSince(database, mark);
      minutes.push({
        minute,
        accepted: report.accepted,
        delivered,
        to_provider_p50_ms: ms(sent[0]),
        to_provider_p95_ms: ms(sent[1]),
        cpu_ms_per_message: round((spent() - before) / report.accepted),
        worker_mb: Math.round(rssMb(worker.pid)),
      });
    }
    progress('waiting for the last messages');
    const not_delivered = await countUndelivered(database, begun);
    const { taken } = await slow.report<GatewayReport>();
    const first = minutes[0] ?? {};
    const last = minutes.at(-1) ?? {};
    const figures = {
      seconds: steps * 60,
      accepted: minutes.reduce((sum, { accepted = 0 }) => sum + accepted, 0),
      delivered_in_their_minute: minutes.reduce((sum, { delivered = 0 }) => sum + delivered, 0),
      not_delivered,
      through_slow_provider: taken,
      first_minute_to_provider_p50_ms: first.to_provider_p50_ms ?? 0,
      last_minute_to_provider_p50_ms: last.to_provider_p50_ms ?? 0,
      first_minute_cpu_ms: first.cpu_ms_per_message ?? 0,
      last_minute_cpu_ms: last.cpu_ms_per_message ?? 0,
    };
    return { figures, targets: { not_delivered: '0', last_minute_to_provider_p50_ms: '< 200' }, detail: minutes };
  } finally {
    await snapshot.end().catch(() => undefined);
    await Promise.all([api.stop(), worker.stop()]);
    slow.stop();
    await database.end().catch(() => undefined);
    await remove();
  }
}

/** Waits for at most a minute. */
async function countUndelivered(database: pg.Client, since: Date): Promise<number> {
  let count = Number.POSITIVE_INFINITY;
  for (let tries = 0; count > 0 && tries < 60; tries += 1) {
    const { rows } = await database.query(
      "select count(*)::int as count from notifications where created_at >= $1 and status <> 'delivered'",
      [since],
    );
    count = rows[0].count;
    if (count > 0) await sleep(1_000);
  }
  return count;
}
