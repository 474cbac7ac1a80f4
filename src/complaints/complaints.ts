import { addDays, londonDay, londonInstant } from '../platform/calendar.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { InStores } from '../stores/stores.ts';
import {
  clearFeedback,
  deleteComplaintsBefore,
  insertComplaint,
  type NewComplaint,
  selectComplaintCount,
  selectComplaints,
  selectComplaintsAbout,
} from './complaints.sql.ts';

type InDatabase = Pick<Platform, 'store' | 'db' | 'clock'>;
type Deps = InDatabase & InStores<InDatabase>;

export const complaintPageSize = 50;

/** Returns undefined for a complaint that was recorded before: providers repeat a webhook whose response they did not get. */
export function recordComplaint(tx: Tx, complaint: NewComplaint, now: Date) {
  return insertComplaint(tx, { ...complaint, id: newId(now), created_at: timestamp(now) });
}

const partSize = 5_000;

/** Clears the feedback ids of complaints about these messages. Returns the number of complaints. */
export async function eraseComplaints(db: Db, notificationIds: string[]): Promise<number> {
  let erased = 0;
  if (notificationIds.length === 0) return erased;
  for (let after: string | null = nilId; after !== null; ) {
    const part = await clearFeedback(db, notificationIds, after, partSize);
    erased += part.erased;
    after = part.last;
  }
  return erased;
}

export const findComplaintsAbout = selectComplaintsAbout;

export async function deleteOldComplaints(db: Db, before: Date): Promise<void> {
  while ((await deleteComplaintsBefore(db, timestamp(before), partSize)) === partSize);
}

/** Returns one page and the number of pages. The first page exists even when it is empty. */
export async function listComplaints({ stores }: Deps, page: number) {
  const total = await countIn(stores);
  const pages = Math.max(1, Math.ceil(total / complaintPageSize));
  if (page < 1 || page > pages) throw notFound();
  const skip = (page - 1) * complaintPageSize;
  const size = complaintPageSize;
  if (stores.isOne) return { complaints: await selectComplaints(stores.main.db, { size, skip }), total, pages };
  // Any of them may have all that come before.
  const newest = await stores.collect(({ db }) => selectComplaints(db, { size: skip + size, skip: 0 }));
  const order = ({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`;
  newest.sort((one, other) => (order(one) < order(other) ? 1 : -1));
  return { complaints: newest.slice(skip, skip + size), total, pages };
}

async function countIn(stores: Deps['stores'], range?: { from: Timestamp; until: Timestamp }): Promise<number> {
  const counts = await stores.collect(async ({ db }) => [await selectComplaintCount(db, range)]);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Counts by the London day of creation, both ends inclusive. Each end defaults to today. */
export function countComplaints(app: Deps, days: { start_date?: string; end_date?: string }): Promise<number> {
  const today = londonDay(app.clock.now());
  const from = londonInstant(days.start_date ?? today);
  const until = londonInstant(addDays(days.end_date ?? today, 1));
  return countIn(app.stores, { from: timestamp(from), until: timestamp(until) });
}
