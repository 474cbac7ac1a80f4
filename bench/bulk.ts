import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { bulkTemplate, type FileFormat, sendFile, untilExpanded } from './bulk-file.ts';
import { timeCopy } from './copy-rows.ts';
import type { Measurement, Options, Progress } from './measurement.ts';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import {
  cpuMs,
  cpuMsOfFamily,
  type Product,
  parentOf,
  profilingFlags,
  quantile,
  rssMb,
  runInProcess,
  runInProcessUntilStopped,
  startProduct,
} from './processes.ts';
import { aSender, type Sender } from './sender.ts';
import { temporaryDatabase } from './temporary-database.ts';

/**
 * A file of 100,000 rows and 5 columns, as CSV and as NDJSON, sent through the process that also accepts and delivers messages
 * of another service at a steady rate: how soon the file is accepted and all its rows are notifications, and what the other
 * service notices.
 */
export const name = 'bulk';

const targets = {
  csv_accepted_s: '<= 5',
  csv_all_notifications_s: '<= 20',
  csv_rss_growth_mb: '<= 100',
  csv_cpu_ratio_to_copy: '<= 10',
  csv_accept_p99_ratio: '<= 2',
  csv_priority_wait_p99_ms: '<= 1000',
  ndjson_accepted_s: '<= 5',
  ndjson_all_notifications_s: '<= 20',
  ndjson_rss_growth_mb: '<= 100',
  ndjson_cpu_ratio_to_copy: '<= 10',
  ndjson_accept_p99_ratio: '<= 2',
  ndjson_priority_wait_p99_ms: '<= 1000',
  not_accepted: '0',
};

const defaultRows = 100_000;
const perSecond = 100;
const settle_s = 3;
/** In one turn a single garbage collection can decide about the p99. */
const turns = 2;
const baseline_s = 15;
/** Until Node has compiled what requests run: a slow time before would make the time beside the file look good. */
const warmUp = { per_second: 500, messages: 5_000 };

/** Of one file. */
interface Measured {
  times: Record<
    | 'accepted_s'
    | 'accepted_cpu_s'
    | 'all_notifications_s'
    | 'all_notifications_cpu_s'
    | 'rss_growth_mb'
    | 'copy_s'
    | 'time_ratio_to_copy'
    | 'cpu_ratio_to_copy',
    number
  >;
  /** Of requests of the other service, in milliseconds. */
  latencies: Record<'before' | 'while_received' | 'while_expanding', number[]>;
  /** Of its messages until they were handed over, in milliseconds. */
  waits: Record<'before' | 'beside', number[]>;
  not_accepted: number;
}

interface Bed {
  progress: Progress;
  product: Product;
  database: pg.Client;
  postmaster: number;
  bulk: Sender;
  other: Sender;
  rows: number;
}

export async function run(progress: Progress, { messages: rows = defaultRows }: Options): Promise<Measurement> {
  progress('starting PostgreSQL and one process for everything');
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  let product: Product | undefined;
  try {
    product = await startProduct('serve', environment, profilingFlags());
    await database.connect();
    const bulk = await aSender(product.port, bulkTemplate);
    const other = await aSender(product.port, {
      template_type: 'sms',
      content: 'Dear ((name)), your appointment is on ((day)).',
      process_type: 'priority',
    });
    const { rows: backends } = await database.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(backends[0].pid);
    const bed = { progress, product, database, postmaster, bulk, other, rows };
    progress('warming up');
    await timeFile({ ...bed, rows: 2_000 }, 'csv');
    await timeFile({ ...bed, rows: 2_000 }, 'ndjson');
    await runInProcess<PacedOrder, PacedReport>('paced-load', { ...loadOf(bed), ...warmUp });
    const measured: Record<FileFormat, Measured[]> = { csv: [], ndjson: [] };
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const format of ['csv', 'ndjson'] as const) {
        progress(`turn ${turn} of ${turns}: ${format}`);
        measured[format].push(await measure(bed, format));
      }
    }
    const figures: Record<string, number> = {};
    for (const [format, all] of Object.entries(measured)) {
      for (const [figure, value] of Object.entries(summaryOf(all))) figures[`${format}_${figure}`] = value;
    }
    figures.not_accepted = Object.values(measured)
      .flat()
      .reduce((sum, { not_accepted }) => sum + not_accepted, 0);
    return { figures, targets };
  } finally {
    await database.end();
    await product?.stop();
    await remove();
  }
}

/**
 * The steady load starts before the file and runs until the file is a set of notifications. Its requests while the file is
 * received and while it expands are compared with those before. One process sends all of them, and its first seconds are not
 * measured: what its start costs is not the product's.
 */
async function measure(bed: Bed, format: FileFormat): Promise<Measured> {
  const { progress, product, database, postmaster, other, rows } = bed;
  await untilDelivered(bed);
  progress(`${perSecond} messages a second of another service, and no file`);
  const load = runInProcessUntilStopped<PacedOrder, PacedReport>('paced-load', loadOf(bed));
  await sleep(settle_s * 1_000);
  const from = now_ms();
  const cpuNow = () => cpuMs(product.pid) + cpuMsOfFamily(postmaster);
  const cpuFrom = cpuNow();
  await sleep(baseline_s * 1_000);
  /** What the other service uses: seconds of processor time per second. */
  const baseline_cpu = (cpuNow() - cpuFrom) / 1_000 / baseline_s;
  const began = new Date();
  const rssBefore = rssMb(product.pid);
  let rssMax = rssBefore;
  const sampling = setInterval(() => {
    rssMax = Math.max(rssMax, rssMb(product.pid));
  }, 100);
  progress(`${rows} rows of ${format} beside ${perSecond} messages a second`);
  const { accepted_at_ms, job, ...times } = await timeFile(bed, format);
  const finished_at_ms = now_ms();
  const report = await load.stop();
  clearInterval(sampling);
  const { rows: waits } = await database.query(
    `select extract(epoch from sent_at - created_at)::float * 1000 as ms, created_at >= $3 as beside
     from notifications where service_id = $1 and created_at >= $2 and sent_at is not null`,
    [other.service_id, new Date(from), began],
  );
  progress('copying the same rows');
  const copy = await timeCopy(database, postmaster, job);
  const file_s = times.accepted_s + times.all_notifications_s;
  const file_cpu_s = times.accepted_cpu_s + times.all_notifications_cpu_s - file_s * baseline_cpu;
  const ratios = {
    copy_s: copy.seconds,
    time_ratio_to_copy: file_s / copy.seconds,
    cpu_ratio_to_copy: file_cpu_s / copy.cpu_s,
  };
  const began_ms = began.getTime();
  return {
    times: { ...times, ...ratios, rss_growth_mb: rssMax - rssBefore },
    latencies: {
      before: sentBetween(report, from, began_ms),
      while_received: sentBetween(report, began_ms, accepted_at_ms),
      while_expanding: sentBetween(report, accepted_at_ms, finished_at_ms),
    },
    waits: {
      before: waits.filter(({ beside }) => !beside).map(({ ms }) => ms),
      beside: waits.filter(({ beside }) => beside).map(({ ms }) => ms),
    },
    not_accepted: report.latencies_ms.length - report.accepted,
  };
}

/** The longest of the times, and the p99 of all requests and messages together. */
function summaryOf(all: Measured[]): Record<string, number> {
  const names = Object.keys(all[0]?.times ?? {}) as (keyof Measured['times'])[];
  const longest = names.map((name) => [name, round(Math.max(...all.map(({ times }) => times[name])))]);
  const p99Of = (name: keyof Measured['latencies']) => p99(all.flatMap(({ latencies }) => latencies[name]));
  const waitOf = (name: keyof Measured['waits']) => p99(all.flatMap(({ waits }) => waits[name]));
  return {
    ...Object.fromEntries(longest),
    accept_p99_ms_before: p99Of('before'),
    accept_p99_ms_while_received: p99Of('while_received'),
    accept_p99_ms_while_expanding: p99Of('while_expanding'),
    accept_p99_ratio: round(p99Of('while_expanding') / p99Of('before')),
    priority_wait_p99_ms: waitOf('beside'),
    priority_wait_ratio: round(waitOf('beside') / waitOf('before')),
  };
}

/** So that no figure contains the delivery of an earlier file. */
async function untilDelivered({ progress, database }: Bed): Promise<void> {
  progress('waiting until all messages are delivered');
  const waiting = async () =>
    (await database.query('select exists (select from delivery_queue) as found')).rows[0].found;
  while (await waiting()) await sleep(500);
}

function loadOf({ product, other }: Pick<Bed, 'product' | 'other'>): PacedOrder {
  return { port: product.port, connections: 50, per_second: perSecond, senders: [other] };
}

/** Seconds until the response, and from then on until every row is a notification. */
async function timeFile({ product, database, postmaster, bulk, rows }: Bed, format: FileFormat) {
  const cpuNow = () => cpuMs(product.pid) + cpuMsOfFamily(postmaster);
  const cpuBefore = cpuNow();
  const started = performance.now();
  const job = await sendFile(product.port, bulk, rows, format);
  const accepted = performance.now();
  const accepted_at_ms = now_ms();
  const cpuAccepted = cpuNow() - cpuBefore;
  await untilExpanded(database, job, rows);
  return {
    accepted_s: round((accepted - started) / 1_000),
    accepted_cpu_s: round(cpuAccepted / 1_000),
    all_notifications_s: round((performance.now() - accepted) / 1_000),
    all_notifications_cpu_s: round((cpuNow() - cpuBefore - cpuAccepted) / 1_000),
    accepted_at_ms,
    job,
  };
}

function sentBetween({ latencies_ms, sent_at_ms }: PacedReport, from: number, to: number): number[] {
  return latencies_ms.filter((_, index) => {
    const sent_at = sent_at_ms[index] ?? 0;
    return sent_at >= from && sent_at < to;
  });
}

function p99(values: number[]): number {
  const sorted = values.sort((left, right) => left - right);
  return round(quantile(sorted, 0.99));
}

const now_ms = () => performance.timeOrigin + performance.now();

const round = (value: number): number => Math.round(value * 10) / 10;
