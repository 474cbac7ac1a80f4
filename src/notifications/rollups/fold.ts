import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { countNotFolded, foldStatusCounts, foldUsage } from './fold.sql.ts';
import { addUpChanges } from './rollup-changes.ts';

// A message or receipt that counts in a row that is being folded waits for the batch to commit: some tens of milliseconds.
const usualBatch = 1_000;

/** Brings the totals up to this moment. What changes afterwards is read from the rollups, until the next time. */
export async function foldRollups(db: Db, batch = usualBatch): Promise<number> {
  await addUpChanges(db);
  const pending = await countNotFolded(db);
  const usage = await inBatches(db, batch, pending.usage, foldUsage);
  const statuses = await inBatches(db, batch, pending.statuses, foldStatusCounts);
  return usage + statuses;
}

/** Busy rows are pending again at once: whoever went on until none is left would never end. */
async function inBatches(
  db: Db,
  batch: number,
  pending: number,
  fold: (tx: Tx, limit: number) => Promise<number>,
): Promise<number> {
  let folded = 0;
  while (folded < pending) {
    const taken = await inTransaction(db, (tx) => fold(tx, batch));
    folded += taken;
    if (taken < batch) break;
  }
  return folded;
}
