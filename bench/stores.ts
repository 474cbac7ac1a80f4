import pg from 'pg';
import { type Bed, measureDelivery, round } from './delivery-run.ts';
import { measureFrozenStore } from './frozen-store.ts';
import type { Measurement, Progress } from './measurement.ts';
import { addStores } from './message-stores.ts';
import { throwAwayDatabase } from './throw-away-database.ts';

/**
 * What message stores cost and what they are good for. The same messages of the same number of services are delivered with
 * one store and with three, in turns, and the processor time per message is compared. Then one of three servers is frozen, while
 * services of all of them send.
 */
export const name = 'stores';

const seconds = Number(process.env.BENCH_SECONDS ?? 20);
const perSecond = Number(process.env.BENCH_RATE ?? 1_000);
const turns = Number(process.env.BENCH_TURNS ?? 3);
const wanted = process.env.BENCH_RUNS?.split(',');
const services = 30;
/** With three stores there are three times as many connections. */
const warmUp_s = Math.min(seconds, 10);

const targets = {
  ratio: '<= 1.05',
  not_delivered: '0',
  others_ratio: '>= 0.95 (while frozen, to before)',
  others_errors: '0',
  frozen_other_errors: '0 (all get 503)',
  frozen_slowest_ms: '<= 9000 (it takes up to 8 s to notice)',
  lost: '0',
};

export async function run(progress: Progress): Promise<Measurement> {
  const detail: Record<string, string | number>[] = [];
  const figures: Record<string, number> = {};
  if (!wanted || wanted.includes('delivery')) Object.assign(figures, await compareDelivery(progress, detail));
  if (!wanted || wanted.includes('frozen')) Object.assign(figures, await measureFrozenStore(progress, seconds));
  return { figures, targets, detail };
}

async function compareDelivery(progress: Progress, detail: Record<string, string | number>[]) {
  const beds = { one_store: await aBed(progress, 1), three_stores: await aBed(progress, 3) };
  const spent = { one_store: 0, three_stores: 0 };
  let not_delivered = 0;
  try {
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const name of Object.keys(beds) as (keyof typeof beds)[]) {
        progress(`turn ${turn} of ${turns}: ${name}`);
        const load = { services, channel: 'sms', provider: 'http', per_second: perSecond, seconds, warmUp_s } as const;
        const measured = await measureDelivery(beds[name], load);
        detail.push({ turn, run: name, ...measured });
        for (const [figure, value] of Object.entries(measured)) progress(`${name} ${figure} ${value}`);
        spent[name] += measured.cpu_ms_per_message / turns;
        not_delivered += measured.not_delivered;
      }
    }
  } finally {
    for (const { remove } of Object.values(beds)) await remove();
  }
  return {
    one_store_cpu_ms_per_message: round(spent.one_store),
    three_stores_cpu_ms_per_message: round(spent.three_stores),
    ratio: round(spent.three_stores / spent.one_store),
    not_delivered,
  };
}

/** One server with as many databases: further servers would cost the same with any product. */
async function aBed(progress: Progress, stores: number): Promise<Bed & { remove(): Promise<void> }> {
  const { server, environment, remove } = await throwAwayDatabase();
  const urls = Array.from({ length: stores - 1 }, (_, index) =>
    server.url.replace('/pennypost?', `/store_${index + 1}?`),
  );
  const databases = [server.url, ...urls].map((connectionString) => new pg.Client({ connectionString }));
  const [main, ...others] = databases as [pg.Client, ...pg.Client[]];
  await main.connect();
  for (const database of others) {
    await main.query(`create database ${database.database}`);
    await database.connect();
  }
  return {
    ...{ server, databases, progress },
    environment: await addStores(environment, urls),
    async remove() {
      for (const database of databases) await database.end().catch(() => undefined);
      await remove();
    },
  };
}
