import { addDays, type Calendar } from '../countries/calendar.ts';
import { hour_ms, later } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countInDefault,
  createPartition,
  dropEmptyPartition,
  dropStaleGuards,
  isDefaultSmall,
  maxMoved,
  type Partition,
  selectPartitions,
} from './partitions.sql.ts';

/** Leaves a week to notice and fix a failing task. */
const daysAhead = 7;

export type { Partition } from './partitions.sql.ts';

const prefix = 'notifications_';

/**
 * One partition per day: all messages of a day expire at the same midnight, and dropping the partition leaves
 * nothing to vacuum.
 */
export function partitionOf(calendar: Calendar, day: string): Partition {
  return {
    name: `${prefix}${day.replaceAll('-', '')}`,
    from_id: firstIdAt(calendar.start(day)),
    to_id: firstIdAt(calendar.start(addDays(day, 1))),
  };
}

/**
 * Returns whether all partitions exist. Messages without a partition go to the default one: slower to delete, but never
 * rejected.
 */
export async function preparePartitions(app: Platform): Promise<boolean> {
  const { calendar } = app.country;
  await dropStaleGuards(app.db);
  let complete = true;
  for (let ahead = 0; ahead <= daysAhead; ahead += 1) {
    const existing = await selectPartitions(app.db);
    const partition = partitionOf(calendar, addDays(calendar.day(app.clock.now()), ahead));
    if (existing.some(({ name }) => name === partition.name)) continue;
    try {
      const free = await skipUnmovableRows(app, withoutOverlap(partition, existing));
      if (free.from_id < free.to_id) await createPartition(app.db, free);
    } catch (error) {
      app.log.warn(
        { event: 'partition.failed', err: error, partition: partition.name },
        'A partition was not created; retrying later',
      );
      complete = false;
    }
  }
  return complete;
}

/** For a database without messages, before its days start at another time. The next start creates the partitions again. */
export async function dropUnusedPartitions(tx: Tx): Promise<void> {
  for (const { name } of await selectPartitions(tx)) await dropEmptyPartition(tx, name);
}

/** Drops the empty partitions of coming days, before days start at another time. The next start creates them again. */
export async function dropPartitionsAfter(tx: Tx, now: Date): Promise<void> {
  const next_id = firstIdAt(now);
  for (const { name, from_id } of await selectPartitions(tx)) {
    if (from_id > next_id) await dropEmptyPartition(tx, name);
  }
}

export async function createPartitions(app: Platform): Promise<void> {
  if (!(await preparePartitions(app))) throw new Error('could not create every partition');
}

/** After the clock was set back, a partition of retained messages may cover part of that day. */
function withoutOverlap(partition: Partition, existing: Partition[]): Partition {
  let { from_id, to_id } = partition;
  for (const other of existing) {
    if (other.from_id <= from_id && other.to_id > from_id) from_id = other.to_id;
    else if (other.from_id > from_id && other.from_id < to_id) to_id = other.from_id;
  }
  return { ...partition, from_id, to_id };
}

/**
 * If a day has begun without its partition and the default one holds too many messages to move, they stay there and the partition starts in
 * an hour.
 */
async function skipUnmovableRows(app: Platform, partition: Partition): Promise<Partition> {
  const soon = firstIdAt(later(app.clock.now(), hour_ms));
  const begun = partition.from_id < soon;
  const few = (await countInDefault(app.db, partition)) <= maxMoved;
  return few && (!begun || (await isDefaultSmall(app.db)))
    ? partition
    : { ...partition, from_id: begun ? soon : partition.from_id };
}

/** Parses the day from the name of a daily partition; undefined for other partitions, such as copies. */
export function dayOfPartition(name: string): string | undefined {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}
