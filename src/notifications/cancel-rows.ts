import type { Country } from '../countries/country.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { dequeueRows, selectDequeuedRows, selectLetterRows } from './cancel-rows.sql.ts';
import type { transitions } from './notification.ts';
import { recordStatusChanges } from './status.ts';

const batch = 1_000;

/** Cancels the queued messages of a job. Idempotent, so it can be repeated after a crash at any point. */
export async function cancelQueuedRows(country: Country, db: Db, jobId: string, now: Date): Promise<void> {
  await dequeueRows(db, jobId);
  await inBatches(
    (afterRow) => selectDequeuedRows(db, jobId, { afterRow, limit: batch }),
    (ids) => inTransaction(db, (tx) => cancelAll(country, tx, ids, 'cancelled', now)),
  );
}

/** Cancels the letters of a job that cannot be in a print run yet. */
export async function cancelLetterRows(country: Country, db: Db, jobId: string, now: Date): Promise<void> {
  await inBatches(
    (afterRow) => selectUnprinted(country, db, jobId, afterRow, now),
    (ids) => inTransaction(db, (tx) => cancelAll(country, tx, ids, 'cancelled', now)),
  );
}

/** The same in one transaction, including failed letters, which cost nothing. Returns the number of cancelled letters. */
export async function cancelEveryLetterRow(country: Country, tx: Tx, jobId: string, now: Date): Promise<number> {
  return inBatches(
    (afterRow) => selectUnprinted(country, tx, jobId, afterRow, now),
    (ids) => cancelAll(country, tx, ids, 'letterJobCancelled', now),
  );
}

function selectUnprinted(country: Country, db: Db | Tx, jobId: string, afterRow: number, now: Date) {
  return selectLetterRows(db, jobId, { since: timestamp(country.letterDays.lastCutOff(now)), afterRow, limit: batch });
}

async function inBatches(
  select: (afterRow: number) => Promise<{ id: string; job_row_number: number }[]>,
  change: (ids: string[]) => Promise<number>,
): Promise<number> {
  let changed = 0;
  for (let afterRow = -1; ; ) {
    const rows = await select(afterRow);
    const last = rows.at(-1);
    if (!last) return changed;
    changed += await change(rows.map(({ id }) => id));
    afterRow = last.job_row_number;
  }
}

async function cancelAll(
  country: Country,
  tx: Tx,
  ids: string[],
  event: keyof typeof transitions,
  now: Date,
): Promise<number> {
  const changes = ids.map((id) => ({ id, status: 'cancelled' as const, event, billable_units: 0 }));
  return (await recordStatusChanges(country, tx, changes, now)).length;
}
