import type { Db } from '../../platform/db/database.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import { type Partition, type Range, selectPartitionSizes, selectPartitions } from '../partitions.sql.ts';

/** One statement reads a gigabyte within seconds, far below the statement timeout. */
const maxRange_bytes = 1024 ** 3;
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Ranges of ids that cover all messages, each fast enough to scan in one statement. A range is a partition, which is read in the
 * order of its pages; a large one is divided. Between partitions is what the default partition holds.
 */
export async function listScanRanges(db: Db): Promise<Range[]> {
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

/** Ids begin with the milliseconds of their time. */
function divided({ from_id, to_id }: Partition, parts: number): Range[] {
  const time = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  const [start, end] = [time(from_id), time(to_id)];
  const inner = Array.from({ length: Math.max(0, parts - 1) }, (_, index) =>
    firstIdAt(new Date(start + Math.round(((end - start) * (index + 1)) / parts))),
  );
  const bounds = [from_id, ...inner, to_id];
  return bounds.slice(1).map((until, index) => ({ from_id: bounds[index] ?? from_id, to_id: until }));
}
