import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Measurement, Options, Progress } from './measurement.ts';

/**
 * `npm run bench [-- name... [--messages n] [--keep]]`: runs the benchmarks of this folder, prints one table of their figures, and keeps them.
 */

type Row = Record<string, string | number>;

interface Bench {
  name: string;
  /** It takes half an hour: runs only when named. */
  onlyWhenNamed?: boolean;
  run(progress: Progress, options: Options): Promise<Measurement>;
}

const results = 'bench/results/latest.json';
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { messages: { type: 'string' }, keep: { type: 'boolean' } },
});
const options: Options = {
  ...(values.messages === undefined ? {} : { messages: Number(values.messages) }),
  ...(values.keep ? { keep: true } : {}),
};

const lines: Row[] = [];

for (const bench of await findBenches()) {
  if (wanted.length > 0 ? !wanted.includes(bench.name) : bench.onlyWhenNamed) continue;
  const started = performance.now();
  const measurement = await bench.run((line) => progress(`${bench.name}: ${line}`), options);
  progress('');
  print(`\n${bench.name}: measured in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  if (measurement.detail) print(`\n${table(measurement.detail)}\n`);
  keep(bench.name, measurement);
  lines.push(...linesOf(bench.name, measurement));
}
print(`\n${table(lines)}\n`);

function linesOf(benchmark: string, { figures, targets = {} }: Measurement): Row[] {
  return Object.entries(figures).map(([figure, value]) => ({
    benchmark,
    figure: figure.replaceAll('_', ' '),
    value,
    target: targets[figure] ?? '',
  }));
}

async function findBenches(): Promise<Bench[]> {
  const found: Bench[] = [];
  for (const file of readdirSync('bench').sort()) {
    if (!file.endsWith('.ts') || file === 'run.ts') continue;
    const module = await import(pathToFileURL(`dist-bench/bench/${file.replace(/\.ts$/, '.js')}`).href);
    if (typeof module.run === 'function' && typeof module.name === 'string') found.push(module);
  }
  const missing = wanted.filter((name) => !found.some((bench) => bench.name === name));
  if (missing.length > 0) {
    process.stderr.write(
      `Unknown benchmark: ${missing.join(', ')}. Use one of ${found.map(({ name }) => name).join(', ')}\n`,
    );
    process.exit(1);
  }
  return found;
}

/** One line that is overwritten on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line.slice(0, 110)}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
}

function table(rows: Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line, index) => {
      const text = line.map((cell, column) =>
        index && /^-?[\d.]+$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      );
      return `  ${text.join('   ')}`.trimEnd();
    })
    .join('\n');
}

function keep(name: string, measurement: Measurement): void {
  const measured = {
    at: new Date().toISOString(),
    cores: availableParallelism(),
    load: loadavg()[0],
    node: process.version,
  };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(results, `${JSON.stringify({ ...earlier(), [name]: { measured, ...measurement } }, null, 2)}\n`);
}

/** Keeps figures of benchmarks that did not run this time. */
function earlier(): object {
  try {
    return JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return {};
  }
}

function print(text: string): void {
  process.stdout.write(text);
}
