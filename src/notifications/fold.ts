import { londonDay } from '../platform/calendar.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { foldStatusCounts, foldUsage } from './fold.sql.ts';

// Late receipts for a row that is being folded wait for the batch to commit, so it is kept to some tens of milliseconds.
const batch = 2_000;

/** Brings the totals up to the end of yesterday. Today still changes with every message, and is read from the rollups. */
export async function foldRollups(db: Db, now: Date): Promise<number> {
  const today = londonDay(now);
  return (
    (await inBatches(db, (tx) => foldUsage(tx, today, batch))) +
    (await inBatches(db, (tx) => foldStatusCounts(tx, today, batch)))
  );
}

async function inBatches(db: Db, fold: (tx: Tx) => Promise<number>): Promise<number> {
  let folded = 0;
  for (;;) {
    const taken = await inTransaction(db, fold);
    folded += taken;
    if (taken < batch) return folded;
  }
}
