import { addDays, utcDay } from '../platform/calendar.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { createPartition, type Partition, partitionName, selectPartitionNames } from './partitions.sql.ts';

/** Far enough ahead to notice and mend a task that fails, long before anything depends on it. */
const daysAhead = 7;

/** One partition per UTC day: messages of a day go together, and nothing is left to clean up after them. */
export function partitionOf(day: string): Partition {
  const midnight = (of: string) => new Date(`${of}T00:00:00Z`);
  return {
    name: partitionName(day),
    from_id: firstIdAt(midnight(day)),
    to_id: firstIdAt(midnight(addDays(day, 1))),
  };
}

/** Without its partition a message goes into the default one: slower to forget, but never refused. */
export async function preparePartitions(app: Pick<Platform, 'db' | 'clock' | 'log'>): Promise<void> {
  const today = utcDay(app.clock.now());
  const existing = new Set(await selectPartitionNames(app.db));
  for (let ahead = 0; ahead <= daysAhead; ahead += 1) {
    const partition = partitionOf(addDays(today, ahead));
    if (existing.has(partition.name)) continue;
    try {
      await createPartition(app.db, partition);
    } catch (error) {
      app.log.warn({ err: error, partition: partition.name }, 'a partition could not be made and will be tried again');
    }
  }
}

/** The day of a partition's name. */
export function dayOfPartition(name: string): string | undefined {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}
