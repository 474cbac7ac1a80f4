import { endMessages } from '../../delivery/time-outs.ts';
import { endUnfinishedJobs } from '../../jobs/unfinished-jobs.ts';
import { giveUpLetters } from '../../letters/letter-retention.ts';
import { systemClock } from '../../platform/clock.ts';
import { inTransaction, openDatabase } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import { selectUnprintedLetters, selectUnsent } from './unsent-messages.sql.ts';

const batch = 1_000;

/**
 * For a restored database whose service kept running after the backup: messages waiting in the backup may have been sent since.
 * They end as technical-failure and the service gets a callback, so that none is sent twice or lost silently. Files that were
 * being sent, or scheduled, are cancelled.
 */
export async function endUnsentMessages(url: string, log: Log): Promise<void> {
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  const now = systemClock.now();
  try {
    await endUnfinishedJobs(db, now);
    for (;;) {
      const ids = await selectUnsent(db, batch);
      if (ids.length === 0) break;
      const changes = ids.map((id) => ({ id, status: 'technical-failure', event: 'givenUp' }) as const);
      await inTransaction(db, (tx) => endMessages(tx, changes, now));
    }
    for (;;) {
      const ids = await selectUnprintedLetters(db, batch);
      if (ids.length === 0) break;
      await inTransaction(db, (tx) => giveUpLetters(tx, ids, now));
    }
  } finally {
    await close();
  }
}
