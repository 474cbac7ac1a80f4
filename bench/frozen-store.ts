import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { LoadOrder, LoadReport } from './accept-load.ts';
import { untilDelivered } from './delivery-run.ts';
import type { Progress } from './measurement.ts';
import { addStores } from './message-stores.ts';
import { quantile, runAside, signalFamily, startProduct } from './processes.ts';
import { changeService, manySenders, type Sender } from './sender.ts';
import { postmasterOf, throwAwayDatabase } from './throw-away-database.ts';

const frozenStore = 2;

/** Three servers, one store each, of which the last is frozen for some seconds while services of all three send. */
export async function measureFrozenStore(progress: Progress, seconds: number): Promise<Record<string, number>> {
  progress('starting three servers');
  const servers = await Promise.all([0, 1, frozenStore].map(() => throwAwayDatabase()));
  const [{ environment }] = servers as [Awaited<ReturnType<typeof throwAwayDatabase>>];
  const databases = servers.map(({ server }) => new pg.Client({ connectionString: server.url }));
  await Promise.all(databases.map((database) => database.connect()));
  const postmaster = postmasterOf(servers[frozenStore]?.server as Parameters<typeof postmasterOf>[0]);
  const settings = await addStores(
    environment,
    servers.slice(1).map(({ server }) => server.url),
  );
  const api = await startProduct('api', settings);
  const worker = await startProduct('worker', settings);
  try {
    const senders = await manySenders(api.port, 9, [{ template_type: 'sms', content: 'Dear ((name))' }]);
    const frozen = await sendersOf(databases[0] as pg.Client, senders, frozenStore);
    const others = senders.filter((sender) => !frozen.includes(sender));
    const load = async () => {
      const order = { port: api.port, seconds, channel: 'sms' as const };
      const [ofOthers, ofFrozen, slowestChange_ms] = await Promise.all([
        runAside<LoadOrder, LoadReport>('accept-load', { ...order, senders: others, connections: 32 }),
        runAside<LoadOrder, LoadReport>('accept-load', { ...order, senders: frozen, connections: 8 }),
        changesOf(api.port, others[0] as Sender, seconds),
      ]);
      return { others: ofOthers, frozen: ofFrozen, slowestChange_ms };
    };
    progress('warming up');
    const warm = await load();
    progress(`all stores work, for ${seconds} s`);
    const before = await load();
    progress(`one of three stores is frozen, for ${seconds} s`);
    signalFamily(postmaster, 'SIGSTOP');
    const during = await load().finally(() => signalFamily(postmaster, 'SIGCONT'));
    progress('it works again');
    await sleep(3_000);
    const after = await load();
    await untilDelivered(progress, databases);
    const reports = [warm, before, during, after].flatMap((each) => [each.others, each.frozen]);
    const { 503: refused = 0, ...unexpected } = during.frozen.errors;
    return {
      others_per_s_before: rate(before.others),
      others_per_s_while_frozen: rate(during.others),
      others_ratio: Number((rate(during.others) / rate(before.others)).toFixed(2)),
      others_p99_ms_before: latency(before.others, 0.99),
      others_p99_ms_while_frozen: latency(during.others, 0.99),
      others_slowest_ms_before: latency(before.others, 1),
      others_slowest_ms_while_frozen: latency(during.others, 1),
      others_errors: count(during.others.errors),
      change_slowest_ms_before: Math.round(before.slowestChange_ms),
      change_slowest_ms_while_frozen: Math.round(during.slowestChange_ms),
      frozen_refused: refused,
      frozen_other_errors: count(unexpected),
      frozen_slowest_ms: latency(during.frozen, 1),
      frozen_per_s_before: rate(before.frozen),
      frozen_per_s_after: rate(after.frozen),
      errors_after: count(after.others.errors) + count(after.frozen.errors),
      lost: await countLost(
        databases,
        reports.flatMap(({ ids }) => ids),
      ),
    };
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
    for (const database of databases) await database.end().catch(() => undefined);
    for (const { remove } of servers) await remove();
  }
}

async function sendersOf(main: pg.Client, senders: Sender[], store: number): Promise<Sender[]> {
  const { rows } = await main.query('select service_id from service_stores where store = $1', [store]);
  return senders.filter(({ service_id }) => rows.some((row) => row.service_id === service_id));
}

/** Changes a setting of a service every second. Returns the longest time that it took. */
async function changesOf(port: number, { service_id }: Sender, seconds: number): Promise<number> {
  let slowest = 0;
  const until = performance.now() + seconds * 1_000;
  for (let rate_limit = 90_000_000; performance.now() < until; rate_limit += 1) {
    const began = performance.now();
    await changeService(port, service_id, { rate_limit });
    slowest = Math.max(slowest, performance.now() - began);
    await sleep(1_000);
  }
  return slowest;
}

/** Accepted messages that no database has, or that were not delivered. */
async function countLost(databases: readonly pg.Client[], ids: string[]): Promise<number> {
  let found = 0;
  for (let start = 0; start < ids.length; start += 10_000) {
    for (const database of databases) {
      const { rows } = await database.query(
        "select count(*)::int as found from notifications where id = any ($1::uuid[]) and status = 'delivered'",
        [ids.slice(start, start + 10_000)],
      );
      found += rows[0].found;
    }
  }
  return ids.length - found;
}

function rate({ ids, seconds }: LoadReport): number {
  return Math.round(ids.length / seconds);
}

function latency({ latencies_ms }: LoadReport, share: number): number {
  return Math.round(
    quantile(
      latencies_ms.sort((one, other) => one - other),
      share,
    ),
  );
}

function count(errors: Record<string, number>): number {
  return Object.values(errors).reduce((sum, each) => sum + each, 0);
}
