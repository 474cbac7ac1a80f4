import { hour_ms, later, timestamp } from '../platform/clock.ts';
import { firstIdAt, momentOfId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  copyChangedAgain,
  copyMessagesOf,
  copyUnfinished,
  deleteLettersWithoutRule,
  deleteMessagesOf,
  holdsMessagesOf,
  holdsUnfinished,
  isEmpty,
  selectServicesIn,
} from './expired-days.sql.ts';
import type { NotificationType } from './notification.ts';
import {
  countInDefault,
  createAside,
  dropAside,
  dropPartition,
  type Partition,
  type Range,
  replacePartitions,
  selectPartitions,
} from './partitions.sql.ts';
import { dayOfPartition } from './partitions.ts';

type Needs = Pick<Platform, 'db' | 'clock' | 'log'>;

/** Messages of a service and channel are kept from this id on. */
export interface Keeper {
  service_id: string;
  notification_type: NotificationType;
  before_id: string;
}

// Small enough to hold no lock for longer than a few milliseconds.
const batch = 2_000;

/**
 * Days that are over for most services. One that none keeps goes as a whole, without a look at its messages. Of the others
 * the messages that stay are copied, the day goes all the same, and the copy takes its place; the copies of a month become one,
 * so that there are never many partitions however long a service keeps its messages.
 */
export async function retireDays(app: Needs, before_id: string, keepers: Keeper[]): Promise<void> {
  for (const partition of await expired(app, before_id)) {
    if (dayOfPartition(partition.name) === undefined) continue;
    if (!(await holdsAnythingToKeep(app, partition, keepers))) await dropPartition(app.db, partition.name);
    else await keepCopyOf(app, [partition], `${partition.name}_kept`, keepers);
    app.log.info({ partition: partition.name }, 'a day of messages was dropped');
  }
  await mergeMonths(app, before_id, keepers);
  for (const partition of await keptPartitions(app, before_id)) {
    if (await isEmpty(app.db, partition)) await dropPartition(app.db, partition.name);
  }
}

async function expired(app: Needs, before_id: string): Promise<Partition[]> {
  return (await selectPartitions(app.db)).filter(({ to_id }) => to_id <= before_id);
}

async function keptPartitions(app: Needs, before_id: string): Promise<Partition[]> {
  return (await expired(app, before_id)).filter(({ name }) => name.endsWith('_kept'));
}

async function holdsAnythingToKeep(app: Needs, partition: Partition, keepers: Keeper[]): Promise<boolean> {
  for (const keeper of keepers) {
    if (keeper.before_id < partition.to_id && (await holdsMessagesOf(app.db, partition, keeper))) return true;
  }
  for (const range of hoursOf(partition)) if (await holdsUnfinished(app.db, partition, range)) return true;
  return false;
}

async function keepCopyOf(app: Needs, days: Partition[], name: string, keepers: Keeper[]): Promise<void> {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return;
  const partition = { name, from_id: first.from_id, to_id: last.to_id };
  const aside = `${name}_new`;
  const since = timestamp(app.clock.now());
  await createAside(app.db, aside, partition);
  try {
    for (const day of days) {
      for (const keeper of keepers) {
        if (keeper.before_id < day.to_id) await copyMessagesOf(app.db, day, aside, keeper);
      }
      for (const range of hoursOf(day)) await copyUnfinished(app.db, day, aside, range);
    }
    await replacePartitions(app.db, days, aside, partition, (tx) => copyChangedAgain(tx, aside, partition, since));
  } catch (error) {
    await dropAside(app.db, aside);
    throw error;
  }
}

/** A statement looks at an hour at a time: at any rate of messages it takes seconds. */
function hoursOf({ from_id, to_id }: Range): Range[] {
  const hours: Range[] = [];
  for (let from = from_id; from < to_id; from = hours.at(-1)?.to_id ?? to_id) {
    const next = firstIdAt(later(momentOfId(from), hour_ms));
    hours.push({ from_id: from, to_id: next < to_id ? next : to_id });
  }
  return hours;
}

/** Months whose last day is retired. */
async function mergeMonths(app: Needs, before_id: string, keepers: Keeper[]): Promise<void> {
  const months = new Map<string, Partition[]>();
  for (const partition of await selectPartitions(app.db)) {
    const [, month = ''] = /^notifications_(\d{6})\d\d(_kept)?$/.exec(partition.name) ?? [];
    if (month !== '') months.set(month, [...(months.get(month) ?? []), partition]);
  }
  for (const [month, days] of months) {
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last || days.some(({ name }) => !name.endsWith('_kept'))) continue;
    if (firstIdAt(startOfNextMonth(month)) > before_id) continue;
    // What lies in the default partition between those days would be in two places.
    if ((await countInDefault(app.db, { from_id: first.from_id, to_id: last.to_id })) > 0) continue;
    await keepCopyOf(app, days, `notifications_${month}_kept`, keepers);
  }
}

function startOfNextMonth(month: string): Date {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)), 1));
}

/** Of what was kept when its day went, whatever is now due. */
export async function deleteFromKept(app: Needs, before_id: string, keepers: Keeper[]): Promise<number> {
  let deleted = 0;
  for (const { name } of await keptPartitions(app, before_id)) {
    for (const keeper of keepers) deleted += await deleteAll(app, name, keeper);
    deleted += await walk((after_id) => deleteLettersWithoutRule(app.db, name, { after_id, before_id }, batch));
  }
  return deleted;
}

/** What came without a partition of its day, one service after the other. */
export async function deleteFromDefault(app: Needs, before_id: string, keepers: Keeper[]): Promise<number> {
  const table = 'notifications_default';
  let deleted = 0;
  for (const service_id of await selectServicesIn(app.db, table)) {
    for (const notification_type of ['sms', 'email', 'letter'] as const) {
      const keeper = keepers.find(
        (one) => one.service_id === service_id && one.notification_type === notification_type,
      );
      deleted += await deleteAll(app, table, keeper ?? { service_id, notification_type, before_id });
    }
  }
  return deleted;
}

/** Of one service and channel, oldest first; how many went. */
export function deleteAll(app: Needs, table: string, keeper: Keeper): Promise<number> {
  const { before_id } = keeper;
  return walk((after_id) => deleteMessagesOf(app.db, table, keeper, { after_id, before_id }, batch));
}

async function walk(step: (after_id: string) => Promise<{ next: string | undefined; deleted: number }>) {
  let deleted = 0;
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const taken = await step(after);
    deleted += taken.deleted;
    after = taken.next;
  }
  return deleted;
}
