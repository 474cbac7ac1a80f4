// From measured costs to hardware, for docs/operations/scaling.md: `node bench/hardware.mjs [figures.json]`.
// Without a file: the figures in the repository. `npm run bench -- capacity` writes bench/results/capacity.json.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// The processor load at which waiting times are still short, and that of an hour in which they may be longer.
const load = { sustained: 0.6, peak: 0.8 };
// Messages are kept for seven whole days and the current one.
const daysKept = 8;
const assumed = { walMbPerSecond: 125, diskTb: 16, freezeAge: 200e6, connections: 500 };
// By default: two pools, one connection to listen, one for the heartbeat; in a worker, four for scheduled tasks.
const connectionsOf = { api: 30, worker: 34 };

const file = process.argv[2] ?? resolve(import.meta.dirname, 'measured.json');
const { at, machine, messages } = JSON.parse(readFileSync(file, 'utf8'));
const { text, email, letter } = messages;

print(`Measured on ${at}: ${machine}.\n`);
printMeasured();
print(`\nCalculated, for text messages:\n`);
const limits = limitsOfTexts();
printLimits();
print('\nCalculated, by the processors of PostgreSQL:\n');
printMachines();

function printMeasured() {
  const names = Object.keys(messages);
  const line = (title, of) => row(title, ...names.map((name) => of(messages[name])));
  row('One message, over its whole life', ...names.map((name) => name.replaceAll('_', ' ')));
  row('---', ...names.map(() => '---'));
  line('PostgreSQL, ms of a processor', ({ database_ms }) => figure(database_ms));
  line('of these, vacuum', ({ vacuum_ms }) => figure(vacuum_ms));
  line('API, ms', ({ api_ms }) => figure(api_ms));
  line('worker, ms', ({ worker_ms }) => figure(worker_ms));
  line('of all these, scheduled tasks of two nights', ({ nights_ms }) => figure(nights_ms));
  line('write-ahead log, bytes', ({ wal_bytes }) => figure(wal_bytes));
  line('whole pages in it', ({ full_pages }) => figure(full_pages));
  line('commits', ({ commits }) => figure(commits));
  line('transaction ids', ({ transaction_ids }) => figure(transaction_ids));
  line('rows inserted, updated, deleted', ({ rows_inserted, rows_updated, rows_deleted }) =>
    [rows_inserted, rows_updated, rows_deleted].map((rows) => rows.toFixed(1)).join(', '),
  );
  line('row versions left to vacuum', ({ rows_left_to_vacuum }) => figure(rows_left_to_vacuum));
  line('kept until it is deleted, bytes', ({ kept_bytes }) => figure(kept_bytes));
  line('the same in the file store', ({ file_bytes }) => figure(file_bytes));
  line('more bytes while it waits', ({ queued_bytes }) => (queued_bytes === 0 ? 'not measured' : figure(queued_bytes)));
  line('connections of one API and one worker process', ({ connections }) => figure(connections));
}

/** Messages per second at which each limit is reached. */
function limitsOfTexts() {
  const connectionsPerRate =
    (text.api_ms * connectionsOf.api + text.worker_ms * connectionsOf.worker) / 1_000 / load.sustained;
  return [
    {
      name: 'connections',
      supply: `${figure(assumed.connections)}, of ${connectionsOf.api} for each API and ${connectionsOf.worker} for each worker process`,
      rate: assumed.connections / connectionsPerRate,
      remedy: 'PgBouncer, or a smaller `DATABASE_POOL_SIZE`',
    },
    {
      name: 'disk',
      supply: `${assumed.diskTb} TB for ${daysKept} days`,
      rate: (assumed.diskTb * 1e12) / (86_400 * daysKept * text.kept_bytes),
      remedy: 'a larger disk, distributed storage, or a shorter retention of all large services',
    },
    {
      name: 'transaction ids',
      supply: `${figure(assumed.freezeAge)} a day, after which every table is vacuumed as a whole`,
      rate: assumed.freezeAge / 86_400 / text.transaction_ids,
      remedy: 'raise `autovacuum_freeze_max_age`, at most to 1,000,000,000',
    },
    {
      name: 'vacuum',
      supply: 'one process at a time, without pauses',
      rate: 1_000 / text.vacuum_ms,
      remedy: '`autovacuum_vacuum_cost_delay = 0`; several tables are vacuumed at once',
    },
    {
      name: 'write-ahead log',
      supply: `${assumed.walMbPerSecond} MB/s, on disk and to a standby`,
      rate: (assumed.walMbPerSecond * 1e6) / text.wal_bytes,
      remedy: 'a faster disk and network, or distributed storage',
    },
  ].sort((one, other) => one.rate - other.rate);
}

function printLimits() {
  row('Limit', 'Assumed', 'Reached at', 'Then');
  row('---', '---', '---', '---');
  for (const { name, supply, rate, remedy } of limits) row(name, supply, `${figure(about(rate))}/s`, remedy);
}

function printMachines() {
  row(
    ...[
      'Cores',
      'texts/s',
      'texts a day',
      'in a peak hour',
      'emails a day',
      'letters a day',
      'cores for API + workers',
    ],
    ...['log', `disk, ${daysKept} days`, 'first limit'],
  );
  row(...Array(10).fill('---'));
  for (const cores of [2, 4, 8, 16, 32, 64]) {
    const perSecond = ({ database_ms }, of = load.sustained) => (cores * of * 1_000) / database_ms;
    const rate = perSecond(text);
    const processors = (ms) => Math.ceil((rate * ms) / 1_000 / load.sustained);
    const [first, ...others] = limits.filter((limit) => limit.rate < rate);
    row(
      figure(cores),
      figure(about(rate)),
      millions(rate * 86_400),
      millions(perSecond(text, load.peak) * 3_600),
      millions(perSecond(email) * 86_400),
      millions(perSecond(letter) * 86_400),
      `${processors(text.api_ms)} + ${processors(text.worker_ms)}`,
      `${figure(about(rate * text.wal_bytes) / 1e6)} MB/s`,
      `${figure(about((rate * 86_400 * daysKept * text.kept_bytes) / 1e12))} TB`,
      first
        ? [`${first.name} at ${figure(about(first.rate))}/s`, ...others.map(({ name }) => name)].join(', then ')
        : 'processors',
    );
  }
}

/** Two digits that count: more would pretend a precision that a calculation does not have. */
function about(value) {
  return Number(value.toPrecision(2));
}

function millions(value) {
  return `${figure(about(value / 1e6))} million`;
}

function figure(value) {
  return value.toLocaleString('en-GB', { maximumSignificantDigits: 6, maximumFractionDigits: 3 });
}

function row(...cells) {
  print(`| ${cells.join(' | ')} |`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
