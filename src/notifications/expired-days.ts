import { hour_ms, later, timestamp } from '../platform/clock.ts';
import { firstIdAt, momentOfId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { type Channel, channels } from '../protocol/channels.ts';
import {
  copyMessagesOf,
  copyUnfinished,
  deleteLettersWithoutRule,
  deleteMessagesOf,
  holdsMessagesOf,
  holdsUnfinished,
  indexedParts,
  isEmpty,
  recopyChanged,
  selectServicesIn,
} from './expired-days.sql.ts';
import {
  countInDefault,
  createReplacement,
  dropPartition,
  dropReplacement,
  type Partition,
  type Range,
  replacePartitions,
  selectPartitions,
} from './partitions.sql.ts';
import { dayOfPartition } from './partitions.ts';

/** Messages of a service and channel are retained from `before_id` on. */
export interface RetentionRule {
  service_id: string;
  notification_type: Channel;
  before_id: string;
}

// Small enough to hold locks for only a few milliseconds.
const batch = 2_000;

/**
 * Drops the partitions of days beyond the default retention. If some messages must be retained, copies them to a new table that replaces
 * the partition. Merges the copies of a month, which limits the number of partitions for any retention.
 */
export async function dropExpiredDays(app: Platform, before_id: string, rules: RetentionRule[]): Promise<void> {
  for (const partition of await expired(app, before_id)) {
    if (dayOfPartition(partition.name) === undefined) continue;
    if (!(await mustRetainAny(app, partition, rules))) await dropPartition(app.db, partition.name);
    else await replaceWithCopy(app, [partition], `${partition.name}_kept`, rules);
    app.log.info(
      { event: 'partition.dropped', partition: partition.name },
      'The partition of an expired day was dropped',
    );
  }
  await mergeMonths(app, before_id, rules);
  for (const partition of await keptPartitions(app, before_id)) {
    if (await isEmpty(app.db, partition)) await dropPartition(app.db, partition.name);
  }
}

async function expired(app: Platform, before_id: string): Promise<Partition[]> {
  return (await selectPartitions(app.db)).filter(({ to_id }) => to_id <= before_id);
}

async function keptPartitions(app: Platform, before_id: string): Promise<Partition[]> {
  return (await expired(app, before_id)).filter(({ name }) => name.endsWith('_kept'));
}

async function mustRetainAny(app: Platform, partition: Partition, rules: RetentionRule[]): Promise<boolean> {
  for (const rule of rules) {
    if (rule.before_id < partition.to_id && (await holdsMessagesOf(app.db, partition, rule))) return true;
  }
  for (const range of hoursOf(partition)) if (await holdsUnfinished(app.db, partition, range)) return true;
  return false;
}

async function replaceWithCopy(app: Platform, days: Partition[], name: string, rules: RetentionRule[]): Promise<void> {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return;
  const partition = { name, from_id: first.from_id, to_id: last.to_id };
  const replacement = `${name}_new`;
  const since = timestamp(app.clock.now());
  await createReplacement(app.db, replacement, partition);
  try {
    for (const day of days) {
      for (const rule of rules) {
        if (rule.before_id < day.to_id) await copyMessagesOf(app.db, day, replacement, rule);
      }
      for (const range of hoursOf(day)) await copyUnfinished(app.db, day, replacement, range);
    }
    await replacePartitions(app.db, days, replacement, partition, (tx) =>
      recopyChanged(tx, replacement, partition, since),
    );
  } catch (error) {
    await dropReplacement(app.db, replacement);
    throw error;
  }
}

/** One statement per hour of messages takes only seconds at any message rate. */
function hoursOf({ from_id, to_id }: Range): Range[] {
  const hours: Range[] = [];
  for (let from = from_id; from < to_id; from = hours.at(-1)?.to_id ?? to_id) {
    const next = firstIdAt(later(momentOfId(from), hour_ms));
    hours.push({ from_id: from, to_id: next < to_id ? next : to_id });
  }
  return hours;
}

/** Merges months whose last day has expired. */
async function mergeMonths(app: Platform, before_id: string, rules: RetentionRule[]): Promise<void> {
  const months = new Map<string, Partition[]>();
  for (const partition of await selectPartitions(app.db)) {
    const [, month = ''] = /^notifications_(\d{6})\d\d(_kept)?$/.exec(partition.name) ?? [];
    if (month !== '') months.set(month, [...(months.get(month) ?? []), partition]);
  }
  for (const [month, days] of months) {
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last || days.some(({ name }) => !name.endsWith('_kept'))) continue;
    if (firstIdAt(startOfNextMonth(month)) > before_id) continue;
    // Rows of the default partition within the range would conflict with the merged partition.
    if ((await countInDefault(app.db, { from_id: first.from_id, to_id: last.to_id })) > 0) continue;
    await replaceWithCopy(app, days, `notifications_${month}_kept`, rules);
  }
}

function startOfNextMonth(month: string): Date {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)), 1));
}

/** Deletes expired messages from the copies of dropped days. */
export async function deleteFromKept(app: Platform, before_id: string, rules: RetentionRule[]): Promise<number> {
  let deleted = 0;
  for (const { name } of await keptPartitions(app, before_id)) {
    for (const rule of rules) deleted += await deleteAll(app, name, rule);
    deleted += await inBatches((after_id) => deleteLettersWithoutRule(app.db, name, { after_id, before_id }, batch));
  }
  return deleted;
}

/** Deletes expired messages from the default partition, service by service. */
export async function deleteFromDefault(app: Platform, before_id: string, rules: RetentionRule[]): Promise<number> {
  const table = 'notifications_default';
  let deleted = 0;
  for (const service_id of await selectServicesIn(app.db, table)) {
    for (const notification_type of channels) {
      const rule = rules.find((one) => one.service_id === service_id && one.notification_type === notification_type);
      deleted += await deleteAll(app, table, rule ?? { service_id, notification_type, before_id });
    }
  }
  return deleted;
}

/** Deletes expired messages of one service and channel, oldest first. Returns their number. */
export async function deleteAll(app: Platform, table: string, rule: RetentionRule): Promise<number> {
  const { before_id } = rule;
  let deleted = 0;
  for (const part of indexedParts) {
    deleted += await inBatches((after_id) =>
      deleteMessagesOf(app.db, table, rule, part, { after_id, before_id }, batch),
    );
  }
  return deleted;
}

async function inBatches(deleteBatch: (after_id: string) => Promise<{ next: string | undefined; deleted: number }>) {
  let deleted = 0;
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const result = await deleteBatch(after);
    deleted += result.deleted;
    after = result.next;
  }
  return deleted;
}
