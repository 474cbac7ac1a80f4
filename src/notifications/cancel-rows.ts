import type { Country } from '../countries/country.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { type CancelDeps, cancelMessages } from './cancel-messages.ts';
import { dequeueRows, selectDequeuedRows, selectLetterRows } from './cancel-rows.sql.ts';

const batch = 1_000;

/** Cancels the queued messages of a job. Idempotent, so it can be repeated after a crash at any point. */
export async function cancelQueuedRows(app: CancelDeps, jobId: string, now: Date): Promise<void> {
  const { db } = app;
  await dequeueRows(db, jobId);
  await inBatches(
    (afterRow) => selectDequeuedRows(db, jobId, { afterRow, limit: batch }),
    (ids) => inTransaction(db, (tx) => cancelMessages(app, tx, ids, now)),
  );
}

/** Cancels the letters of a job that cannot be in a print run yet. */
export async function cancelLetterRows(app: CancelDeps, jobId: string, now: Date): Promise<void> {
  const { country, db } = app;
  await inBatches(
    (afterRow) => selectUnprinted(country, db, jobId, afterRow, now),
    (ids) => inTransaction(db, (tx) => cancelMessages(app, tx, ids, now)),
  );
}

/** The same in one transaction, including failed letters, which cost nothing. Returns the number of cancelled letters. */
export async function cancelEveryLetterRow(app: CancelDeps, tx: Tx, jobId: string, now: Date): Promise<number> {
  return inBatches(
    (afterRow) => selectUnprinted(app.country, tx, jobId, afterRow, now),
    (ids) => cancelMessages(app, tx, ids, now, 'letterJobCancelled'),
  );
}

function selectUnprinted(country: Country, db: Db | Tx, jobId: string, afterRow: number, now: Date) {
  return selectLetterRows(db, jobId, { since: timestamp(country.letterDays.lastCutOff(now)), afterRow, limit: batch });
}

async function inBatches(
  select: (afterRow: number) => Promise<{ id: string; job_row_number: number }[]>,
  change: (ids: string[]) => Promise<readonly unknown[]>,
): Promise<number> {
  let changed = 0;
  for (let afterRow = -1; ; ) {
    const rows = await select(afterRow);
    const last = rows.at(-1);
    if (!last) return changed;
    changed += (await change(rows.map(({ id }) => id))).length;
    afterRow = last.job_row_number;
  }
}
