import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { withDatabase } from './deliver.ts';
import type { Measurement, Options, Progress } from './measurement.ts';
import { type Kind, type MessageCost, measureMessageCost } from './message-cost.ts';

/**
 * The cost of one message over its whole life, by channel: accepted, queued, leased, handed over, its receipt, its callback,
 * counted, vacuumed, and deleted after its retention. `node bench/hardware.mjs` calculates from it what a machine can do.
 */
export const name = 'capacity';
export const onlyWhenNamed = true;

const seconds = Number(process.env.BENCH_SECONDS ?? 30);
const wanted = process.env.BENCH_RUNS?.split(',');

/** Below what two cores can do, so that processor time is not spent on a backlog. */
const kinds: Record<string, Kind> = {
  text: { channel: 'sms', provider: 'http', per_second: 1_000 },
  text_in_sandbox: { channel: 'sms', provider: 'sandbox', per_second: 1_000 },
  text_with_callback: { channel: 'sms', provider: 'http', per_second: 500, callbacks: true },
  text_in_file: { channel: 'sms', provider: 'http', per_second: 1_000, file: true },
  email: { channel: 'email', provider: 'sandbox', per_second: 500 },
  letter: { channel: 'letter', provider: 'sandbox', per_second: 30 },
};

export async function run(progress: Progress, { keep = false }: Options): Promise<Measurement> {
  const messages: Record<string, MessageCost> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    if (wanted && !wanted.includes(name)) continue;
    messages[name] = await withDatabase((bed) =>
      measureMessageCost({ ...bed, progress: (line) => progress(`${name}: ${line}`) }, kind, seconds),
    );
    write('bench/results/capacity.json', messages);
  }
  if (keep) write('bench/measured.json', messages);
  const figures: Record<string, number> = {};
  for (const [name, { api_ms, worker_ms, database_ms, wal_bytes, kept_bytes }] of Object.entries(messages)) {
    for (const [figure, value] of Object.entries({ api_ms, worker_ms, database_ms, wal_bytes, kept_bytes })) {
      figures[`${name}_${figure}`] = round(value);
    }
  }
  const detail = Object.entries(rounded(messages)).map(([message, costs]) => ({ message, ...costs }));
  return { figures, detail };
}

/** Other kinds of messages keep their figures in the file. */
function write(file: string, messages: Record<string, MessageCost>): void {
  const at = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}, embedded PostgreSQL 18`;
  const earlier = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).messages : {};
  const all = { ...earlier, ...rounded(messages) };
  const inOrder = Object.fromEntries(Object.keys(kinds).flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ at, machine, messages: inOrder }, null, 2)}\n`);
}

function rounded(messages: Record<string, MessageCost>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, costs]) => [
      name,
      Object.fromEntries(Object.entries(costs).map(([figure, value]) => [figure, round(value)])),
    ]),
  );
}

/** Three digits that count. */
function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
