import type pg from 'pg';
import type { LoadOrder, LoadReport } from './accept-load.ts';
import type { Progress } from './measurement.ts';
import { cpuMs, cpuMsOfFamily, median, quantile, runInProcess } from './processes.ts';

export const connections = 64;
/** Before each turn: caches fill, and the first change of each page after a checkpoint writes the whole page to the WAL. */
const leadIn_s = 1;

export type RunOrder = Pick<LoadOrder, 'senders' | 'channel' | 'atLeast'>;

interface Bed {
  progress: Progress;
  port: number;
  pid: number;
  database: pg.Client;
  postmaster: number;
}

/** Sends messages, and remembers which of them were accepted. */
export class AcceptRuns {
  errors = 0;
  private readonly bed: Bed;
  private readonly accepted: string[] = [];

  constructor(bed: Bed) {
    this.bed = bed;
  }

  async send(order: RunOrder, seconds: number): Promise<LoadReport> {
    const { port, progress } = this.bed;
    const report = await runInProcess<LoadOrder, LoadReport>('accept-load', { port, connections, seconds, ...order });
    for (const [what, count] of Object.entries(report.errors)) {
      progress(`${count} times ${what}`);
      this.errors += count;
    }
    for (const id of report.ids) this.accepted.push(id);
    return report;
  }

  async measure(order: RunOrder, seconds: number) {
    const { pid, database, postmaster } = this.bed;
    await database.query('checkpoint');
    await this.send(order, leadIn_s);
    const before = { api: cpuMs(pid), database: cpuMsOfFamily(postmaster) };
    const report = await this.send(order, seconds);
    const accepted = report.ids.length;
    const api_ms = (cpuMs(pid) - before.api) / accepted;
    const database_ms = (cpuMsOfFamily(postmaster) - before.database) / accepted;
    const latencies = report.latencies_ms.sort((left, right) => left - right);
    return {
      accepted_per_s: round(accepted / report.seconds, 0),
      cpu_ms_per_request: round(api_ms + database_ms, 3),
      api_cpu_ms_per_request: round(api_ms, 3),
      database_cpu_ms_per_request: round(database_ms, 3),
      load_cpu_ms_per_request: round(report.cpu_ms / accepted, 3),
      p50_ms: round(quantile(latencies, 0.5), 1),
      p99_ms: round(quantile(latencies, 0.99), 1),
    };
  }

  async countLost(): Promise<number> {
    let lost = 0;
    for (let start = 0; start < this.accepted.length; start += 10_000) {
      const some = this.accepted.slice(start, start + 10_000);
      const { rows } = await this.bed.database.query(
        'select count(*)::int as found from notifications where id = any ($1::uuid[])',
        [some],
      );
      lost += some.length - rows[0].found;
    }
    return lost;
  }
}

/** The figures of a run in each turn. */
export type Turns = Record<string, number[]>;

export function recordTurn(perTurn: Turns, figure: string, value: number): void {
  perTurn[figure] = [...(perTurn[figure] ?? []), value];
}

/** The median of the ratios of neighbouring turns, which had the same machine. Undefined if one of them did not run. */
export function ratioOfTurns(perTurn: Turns, figure: string, to: string): number | undefined {
  const [values, others] = [perTurn[figure], perTurn[to]];
  if (!values || !others) return undefined;
  return round(median(values.map((value, turn) => value / (others[turn] ?? Number.NaN))), 2);
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
