import { addDays, londonDay, londonInstant } from '../platform/calendar.ts';
import { hour_ms, later } from '../platform/clock.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countInDefault,
  createPartition,
  dropLeftGuards,
  isDefaultSmall,
  mostMoved,
  type Partition,
  selectPartitions,
} from './partitions.sql.ts';

/** Far enough ahead to notice and repair a task that fails, long before anything depends on it. */
const daysAhead = 7;

export type { Partition } from './partitions.sql.ts';

const prefix = 'notifications_';

/**
 * One partition per London day: the messages of a day are forgotten together, at the same midnight, and nothing is left
 * to clean up after them.
 */
export function partitionOf(day: string): Partition {
  return {
    name: `${prefix}${day.replaceAll('-', '')}`,
    from_id: firstIdAt(londonInstant(day)),
    to_id: firstIdAt(londonInstant(addDays(day, 1))),
  };
}

/**
 * Whether all of them are there now. Without its partition a message goes into the default one: slower to forget, but
 * never refused.
 */
export async function preparePartitions(app: Pick<Platform, 'db' | 'clock' | 'log'>): Promise<boolean> {
  await dropLeftGuards(app.db);
  let complete = true;
  for (let ahead = 0; ahead <= daysAhead; ahead += 1) {
    const existing = await selectPartitions(app.db);
    const partition = partitionOf(addDays(londonDay(app.clock.now()), ahead));
    if (existing.some(({ name }) => name === partition.name)) continue;
    try {
      const free = await leaveWhatIsThere(app, withoutOverlap(partition, existing));
      if (free.from_id < free.to_id) await createPartition(app.db, free);
    } catch (error) {
      app.log.warn({ err: error, partition: partition.name }, 'a partition could not be made and will be tried again');
      complete = false;
    }
  }
  return complete;
}

/** An earlier release made partitions of UTC days. */
function withoutOverlap(partition: Partition, existing: Partition[]): Partition {
  let { from_id, to_id } = partition;
  for (const other of existing) {
    if (other.from_id <= from_id && other.to_id > from_id) from_id = other.to_id;
    else if (other.from_id > from_id && other.from_id < to_id) to_id = other.from_id;
  }
  return { ...partition, from_id, to_id };
}

/**
 * Where a day has begun without its partition and much is in the default one, that stays there: the partition begins in an
 * hour, with what is not accepted yet.
 */
async function leaveWhatIsThere(app: Pick<Platform, 'db' | 'clock'>, partition: Partition): Promise<Partition> {
  const soon = firstIdAt(later(app.clock.now(), hour_ms));
  const begun = partition.from_id < soon;
  const few = (await countInDefault(app.db, partition)) <= mostMoved;
  return few && (!begun || (await isDefaultSmall(app.db)))
    ? partition
    : { ...partition, from_id: begun ? soon : partition.from_id };
}

/** The day of a partition's name, if it is that of one day, as it was when its messages were accepted. */
export function dayOfPartition(name: string): string | undefined {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}
