import { type BareLoopOrder, type BareLoopReport, bareLoopTables } from './bare-loop.ts';
import { type Bed, type measureDelivery, round } from './delivery-run.ts';
import { cpuMsOfFamily, runInProcess } from './processes.ts';
import { postmasterOf } from './temporary-database.ts';

const clients = 20;
const turn_s = 4;

/** A delivery run between two turns of the bare loop, in the same database: how many times its processor time the product took. */
export async function besideBareLoop(bed: Bed, deliver: () => ReturnType<typeof measureDelivery>) {
  const before = await runLoop(bed);
  const measured = await deliver();
  const after = await runLoop(bed);
  const delivered = before.delivered + after.delivered;
  const cpu_ms = (before.cpu_ms + after.cpu_ms) / delivered;
  return {
    ...measured,
    bare_loop_per_s: Math.round(delivered / (before.seconds + after.seconds)),
    bare_loop_cpu_ms: round(cpu_ms),
    cpu_ratio_to_bare_loop: Number((measured.cpu_ms_per_message / cpu_ms).toFixed(2)),
  };
}

/** Processor time of the loop and PostgreSQL together. */
async function runLoop({ progress, database, server }: Bed): Promise<BareLoopReport> {
  progress(`a bare loop of ${clients} clients for ${turn_s} s`);
  await database.query(bareLoopTables);
  const postmaster = postmasterOf(server);
  const before = cpuMsOfFamily(postmaster);
  const order: BareLoopOrder = { databaseUrl: server.url, clients, seconds: turn_s };
  const report = await runInProcess<BareLoopOrder, BareLoopReport>('bare-loop', order);
  return { ...report, cpu_ms: report.cpu_ms + cpuMsOfFamily(postmaster) - before };
}
