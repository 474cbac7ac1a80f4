import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { addUpStatusCounts, addUpUsage, lockAddingUp } from './rollup-changes.sql.ts';

/** Brings the daily rollups up to date. `alsoAddUp` adds up other appended changes in the same transaction. */
export async function addUpChanges(db: Db, alsoAddUp?: (tx: Tx) => Promise<void>): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await lockAddingUp(tx))) return;
    await addUpStatusCounts(tx);
    await addUpUsage(tx);
    await alsoAddUp?.(tx);
  });
}
