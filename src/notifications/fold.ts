import { londonDay } from '../platform/calendar.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { foldStatusCounts, foldUsage } from './fold.sql.ts';

// Late receipts for a row that is being folded wait for the batch to commit, so it is kept to some tens of milliseconds.
const usualBatch = 2_000;

/** Brings the totals up to the end of yesterday. Today still changes with every message, and is read from the rollups. */
export async function foldRollups(db: Db, now: Date, batch = usualBatch): Promise<number> {
  const today = londonDay(now);
  const usage = await inBatches(db, batch, (tx) => foldUsage(tx, today, batch));
  const statuses = await inBatches(db, batch, (tx) => foldStatusCounts(tx, today, batch));
  return usage + statuses;
}

async function inBatches(db: Db, batch: number, fold: (tx: Tx) => Promise<number>): Promise<number> {
  let folded = 0;
  for (;;) {
    const taken = await inTransaction(db, fold);
    folded += taken;
    if (taken < batch) return folded;
  }
}
