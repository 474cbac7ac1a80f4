import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { defaultRetentionDays } from '../services/settings/data-retention.ts';
import { deleteRowsOf, selectExpiredJobs } from './jobs.sql.ts';

/** A job has up to 200 chunks. */
const batch = 20;

/** Deletes the rows of old jobs. Jobs and their statistics stay. */
export async function archiveJobs({ db, clock, log, country: { calendar } }: Platform): Promise<void> {
  const expiry = { calendar, today: calendar.day(clock.now()), defaultDays: defaultRetentionDays, limit: batch };
  let archived = 0;
  for (;;) {
    const ids = await selectExpiredJobs(db, expiry);
    if (ids.length === 0) break;
    await inTransaction(db, (tx) => deleteRowsOf(tx, ids));
    archived += ids.length;
  }
  log.info({ event: 'job.rows_deleted', jobs: archived }, 'Deleted the rows of old jobs');
}
