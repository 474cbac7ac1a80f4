import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { countNotFolded, foldStatusCounts, foldUsage } from './fold.sql.ts';
import { addUpChanges } from './rollup-changes.ts';

// Messages and receipts that update a row being folded wait for the batch to commit: tens of milliseconds.
const defaultBatch = 1_000;

/** Brings the totals up to date. Until the next run, queries read later changes from the rollups. */
export async function foldRollups(db: Db, batch = defaultBatch): Promise<number> {
  await addUpChanges(db);
  const pending = await countNotFolded(db);
  const usage = await inBatches(db, batch, pending.usage, foldUsage);
  const statuses = await inBatches(db, batch, pending.statuses, foldStatusCounts);
  return usage + statuses;
}

/** Stops after the initially pending rows: busy rows become pending again at once, so the loop might never end. */
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
