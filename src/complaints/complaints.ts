import { addDays } from '../countries/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  clearFeedback,
  deleteComplaintsBefore,
  insertComplaint,
  type NewComplaint,
  selectComplaintCount,
  selectComplaints,
  selectComplaintsAbout,
} from './complaints.sql.ts';

export const complaintPageSize = 50;

/** Returns undefined for a complaint that is already recorded: providers retry a webhook if they get no response. */
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

export function findComplaintsAbout(db: Db, notificationIds: readonly string[]) {
  return selectComplaintsAbout(db, notificationIds);
}

export async function deleteOldComplaints(db: Db, before: Date): Promise<void> {
  while ((await deleteComplaintsBefore(db, timestamp(before), partSize)) === partSize);
}

/** Returns one page and the number of pages. The first page exists even if it is empty. */
export async function listComplaints(app: Platform, page: number) {
  const total = await selectComplaintCount(app.db);
  const pages = Math.max(1, Math.ceil(total / complaintPageSize));
  if (page < 1 || page > pages) throw notFound();
  const complaints = await selectComplaints(app.db, {
    size: complaintPageSize,
    skip: (page - 1) * complaintPageSize,
  });
  return { complaints, total, pages };
}

/** Counts by the London day of creation, both ends inclusive. Each end defaults to today. */
export function countComplaints(app: Platform, days: { start_date?: string; end_date?: string }): Promise<number> {
  const today = app.country.calendar.day(app.clock.now());
  const from = app.country.calendar.start(days.start_date ?? today);
  const until = app.country.calendar.start(addDays(days.end_date ?? today, 1));
  return selectComplaintCount(app.db, { from: timestamp(from), until: timestamp(until) });
}
