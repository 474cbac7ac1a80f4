import type { Db } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import { eraseMessagesBetween, selectEndOfPart } from './erase-messages.sql.ts';
import type { Status } from './notification.ts';

/** In place of a recipient who was erased. */
const erasedRecipient = '[erased]';

const final: Status[] = [
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

const partSize = 10_000;

/**
 * Takes everything about a person out of the messages to that address or number; statuses, times and costs stay, and so do
 * all figures. There is no index by recipient, which would cost every message that is accepted: the table is read in parts.
 */
export async function eraseMessages(db: Db, recipient: string): Promise<{ ids: string[]; left: number }> {
  const ids: string[] = [];
  let left = 0;
  for (let after = nilId; ; ) {
    const until = await selectEndOfPart(db, after, partSize);
    if (until === undefined) return { ids, left };
    const part = await eraseMessagesBetween(db, { after, until }, { recipient, final, erased: erasedRecipient });
    ids.push(...part.erased);
    left += part.left;
    after = until;
  }
}
