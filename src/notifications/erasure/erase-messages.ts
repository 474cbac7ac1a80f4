import type { Db } from '../../platform/db/database.ts';
import { isAddressOf } from '../../recipients/recipient.ts';
import type { Status } from '../notification.ts';
import { eraseMessagesById, type OfRecipient, selectMessagesWithin } from './erase-messages.sql.ts';
import { listScanRanges } from './scan-ranges.ts';

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

/**
 * Deletes all personal data from messages to an address or number; keeps statuses, times, costs and statistics. Returns which
 * were erased, and how many are left because they are not in a final state.
 */
export async function eraseMessages(db: Db, of: OfRecipient): Promise<{ ids: string[]; left: number }> {
  const ids: string[] = [];
  let left = 0;
  for await (const batch of findMessagesOf(db, of)) {
    if (batch.length === 0) continue;
    const found = batch.map(({ id }) => id);
    const erased = await eraseMessagesById(db, found, { final: finalStatuses, erased: erasedRecipient });
    ids.push(...erased);
    left += found.length - erased.length;
  }
  return { ids, left };
}

/** Messages to an address or number, in batches. Scans the table: an index by recipient would slow down every accepted message. */
export async function* findMessagesOf(db: Db, of: OfRecipient): AsyncGenerator<{ id: string; service_id: string }[]> {
  const { who } = of;
  for (const range of await listScanRanges(db)) {
    const found = await selectMessagesWithin(db, range, of);
    yield 'address' in who ? found.filter(({ recipient }) => isAddressOf(recipient, who.address)) : found;
  }
}
