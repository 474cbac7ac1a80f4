import type { Db } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import { eraseMessagesBetween, selectEndOfBatch } from './erase-messages.sql.ts';
import type { Status } from './notification.ts';

/** Replaces the recipient of an erased message. */
export const erasedRecipient = '[erased]';

const finalStatuses: Status[] = [
  'sent',
  'delivered',
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'cancelled',
  'validation-failed',
  'virus-scan-failed',
  'returned-letter',
];

const batchSize = 10_000;

/**
 * Deletes all personal data from messages to an address or number; keeps statuses, times, costs and statistics. Scans the
 * table in batches: an index by recipient would slow down every accepted message.
 */
export async function eraseMessages(db: Db, recipient: string): Promise<{ ids: string[]; left: number }> {
  const ids: string[] = [];
  let left = 0;
  for (let after = nilId; ; ) {
    const until = await selectEndOfBatch(db, after, batchSize);
    if (until === undefined) return { ids, left };
    const batch = await eraseMessagesBetween(
      db,
      { after, until },
      { recipient, final: finalStatuses, erased: erasedRecipient },
    );
    ids.push(...batch.erased);
    left += batch.left;
    after = until;
  }
}
