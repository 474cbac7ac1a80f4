// From measured costs to hardware, for docs/operations/scaling.md: `node bench/capacity.mjs [figures.json]`.
// Without a file: the last `npm run bench -- accept deliver` on this machine, or else the figures that ship with the product.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// The processor load at which latencies are still short.
const comfortableLoad = 0.6;
const daysKept = 7;
// A primary with more is rarely sold, and its disks would be the limit.
const coresOfOnePrimary = 32;

const { at, per_message, disk_bytes } = readFigures(process.argv[2]);
const { api_ms, worker_ms, database_ms } = per_message;
print(
  `Per message, measured on ${at}: API ${figure(api_ms)} ms, worker ${figure(worker_ms)} ms, PostgreSQL ${figure(database_ms)} ms;` +
    ` on disk, estimated: ${figure(disk_bytes)} bytes.\n`,
);
row('messages/s', 'a day', 'API cores', 'worker cores', 'PostgreSQL cores', `disk for ${daysKept} days`, 'arrangement');
row('---', '---', '---', '---', '---', '---', '---');
for (const rate of [1, 100, 1_000, 10_000, 30_000, 100_000]) {
  const cores = (ms) => Math.ceil((rate * ms) / 1_000 / comfortableLoad);
  const disk_gb = Math.ceil((rate * 86_400 * daysKept * disk_bytes) / 1e9);
  const arrangement =
    cores(api_ms + worker_ms + database_ms) <= 2
      ? 'one process, embedded database'
      : cores(database_ms) <= coresOfOnePrimary
        ? 'several processes, one PostgreSQL'
        : 'more than one PostgreSQL can do';
  row(
    ...[rate, rate * 86_400, cores(api_ms), cores(worker_ms), cores(database_ms)].map(figure),
    `${figure(disk_gb)} GB`,
    arrangement,
  );
}

function readFigures(file) {
  const committed = JSON.parse(readFileSync(resolve(import.meta.dirname, 'measured.json'), 'utf8'));
  if (file) return { ...committed, ...JSON.parse(readFileSync(file, 'utf8')) };
  const latest = resolve(import.meta.dirname, 'results/latest.json');
  const { accept, deliver } = existsSync(latest) ? JSON.parse(readFileSync(latest, 'utf8')) : {};
  const one = deliver?.detail?.find(({ run }) => run === 'one_service');
  if (!accept || !one) return committed;
  const per_message = {
    // A receipt is a request like the one that is accepted.
    api_ms: 2 * accept.figures.api_cpu_ms_per_request,
    worker_ms: one.worker_cpu_ms_per_message,
    // Over its whole life: accepted, leased, handed over, receipt.
    database_ms: one.database_cpu_ms_per_message,
  };
  return { ...committed, at: deliver.measured.at.slice(0, 10), per_message };
}

function figure(value) {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 3 });
}

function row(...cells) {
  print(`| ${cells.join(' | ')} |`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
