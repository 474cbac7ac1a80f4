import type { Db } from '../../platform/db/database.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import { isAddressOf, type RecipientSearch } from '../../recipients/recipient.ts';
import type { Status } from '../notification.ts';
import { type Partition, type Range, selectPartitionSizes, selectPartitions } from '../partitions.sql.ts';
import { eraseMessagesById, selectMessagesWithin } from './erase-messages.sql.ts';

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
 * Deletes all personal data from messages to an address or number; keeps statuses, times, costs and statistics. Returns the erased ids, and
 * how many messages are left because their status is not final.
 */
export async function eraseMessages(db: Db, of: RecipientSearch): Promise<{ ids: string[]; left: number }> {
  const ids: string[] = [];
  let left = 0;
  for await (const batch of findMessagesOf(db, of)) {
    if (batch.length === 0) continue;
    const found = batch.map(({ id }) => id);
    const erased = await eraseMessagesById(db, found, { final: finalStatuses, erasedRecipient });
    ids.push(...erased);
    left += found.length - erased.length;
  }
  return { ids, left };
}

/**
 * Finds messages to an address or number, in batches. Scans the table, because an index by recipient would slow down every accepted
 * message.
 */
export async function* findMessagesOf(
  db: Db,
  of: RecipientSearch,
): AsyncGenerator<{ id: string; service_id: string }[]> {
  const { who } = of;
  for (const range of await listScanRanges(db)) {
    const found = await selectMessagesWithin(db, range, of);
    yield 'address' in who ? found.filter(({ recipient }) => isAddressOf(recipient, who)) : found;
  }
}

/** One statement reads a gigabyte within seconds, far below the statement timeout. */
const maxRange_bytes = 1024 ** 3;
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Returns id ranges that cover all messages, each fast enough to scan in one statement. A partition is scanned in page order as one range;
 * a large one is divided. The ranges between partitions cover the default partition.
 */
async function listScanRanges(db: Db): Promise<Range[]> {
  const sizes = await selectPartitionSizes(db);
  const ranges: Range[] = [];
  let from_id = nilId;
  for (const partition of await selectPartitions(db)) {
    if (from_id < partition.from_id) ranges.push({ from_id, to_id: partition.from_id });
    ranges.push(...divided(partition, Math.ceil((sizes.get(partition.name) ?? 0) / maxRange_bytes)));
    from_id = partition.to_id;
  }
  return [...ranges, { from_id, to_id: lastId }];
}

/** Ids begin with their time in milliseconds. */
function divided({ from_id, to_id }: Partition, parts: number): Range[] {
  const time = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  const [start, end] = [time(from_id), time(to_id)];
  const inner = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
    firstIdAt(new Date(start + Math.round(((end - start) * (index + 1)) / parts))),
  );
  const bounds = [from_id, ...inner, to_id];
  return bounds.slice(1).map((until, index) => ({ from_id: bounds[index] ?? from_id, to_id: until }));
}
