import type { Db } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import {
  eraseMessagesBetween,
  type OfRecipient,
  selectEndOfBatch,
  selectMessagesBetween,
} from './erase-messages.sql.ts';
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
export async function eraseMessages(db: Db, of: OfRecipient): Promise<{ ids: string[]; left: number }> {
  const ids: string[] = [];
  let left = 0;
  for (let after = nilId; ; ) {
    const until = await selectEndOfBatch(db, after, batchSize);
    if (until === undefined) return { ids, left };
    const how = { ...of, final: finalStatuses, erased: erasedRecipient };
    const batch = await eraseMessagesBetween(db, { after, until }, how);
    ids.push(...batch.erased);
    left += batch.left;
    after = until;
  }
}

/** Messages to an address or number, in batches. Scans the table, as erasing does. */
export async function* findMessagesOf(db: Db, of: OfRecipient): AsyncGenerator<{ id: string; service_id: string }[]> {
  for (let after = nilId; ; ) {
    const until = await selectEndOfBatch(db, after, batchSize);
    if (until === undefined) return;
    yield await selectMessagesBetween(db, { after, until }, of);
    after = until;
  }
}
