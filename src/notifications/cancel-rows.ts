import { addDays, londonDay, londonInstant } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { dequeueRows, selectLetterRows } from './cancel-rows.sql.ts';
import { printCutOff } from './history/estimated-delivery.ts';
import { recordStatusChanges, type transitions } from './status.ts';

const batch = 1_000;

/** Cancels the messages of a job that wait in the queue. Returns their number. */
export async function cancelQueuedRows(db: Db, jobId: string, now: Date): Promise<number> {
  let cancelled = 0;
  for (let taken = batch; taken > 0; ) {
    taken = await inTransaction(db, async (tx) => {
      const ids = await dequeueRows(tx, jobId, batch);
      await changeAll(tx, ids, 'cancelled', now);
      return ids.length;
    });
    cancelled += taken;
  }
  return cancelled;
}

/** Cancels the letters of a job that no print run can have begun with. */
export async function cancelLetterRows(db: Db, jobId: string, now: Date): Promise<number> {
  return inBatches(db, jobId, now, (ids) => inTransaction(db, (tx) => changeAll(tx, ids, 'cancelled', now)));
}

/** The same in one transaction, for letters that failed, too: they cost nothing. */
export async function cancelEveryLetterRow(tx: Tx, jobId: string, now: Date): Promise<number> {
  return inBatches(tx, jobId, now, (ids) => changeAll(tx, ids, 'letterJobCancelled', now));
}

async function inBatches(
  db: Db | Tx,
  jobId: string,
  now: Date,
  change: (ids: string[]) => Promise<number>,
): Promise<number> {
  const since = timestamp(lastPrintRun(now));
  let changed = 0;
  for (let afterRow = -1; ; ) {
    const rows = await selectLetterRows(db, jobId, { since, afterRow, limit: batch });
    const last = rows.at(-1);
    if (!last) return changed;
    changed += await change(rows.map(({ id }) => id));
    afterRow = last.job_row_number;
  }
}

async function changeAll(tx: Tx, ids: string[], event: keyof typeof transitions, now: Date): Promise<number> {
  if (ids.length === 0) return 0;
  const changes = ids.map((id) => ({ id, status: 'cancelled' as const, event, billable_units: 0 }));
  return (await recordStatusChanges(tx, changes, now)).length;
}

/** Letters accepted before are being printed. */
export function lastPrintRun(now: Date): Date {
  const cutOffOf = (day: string) => londonInstant(day, printCutOff.hour, printCutOff.minute);
  const today = londonDay(now);
  return now < cutOffOf(today) ? cutOffOf(addDays(today, -1)) : cutOffOf(today);
}
