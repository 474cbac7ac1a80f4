import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export interface NewComplaint {
  notification_id: string;
  service_id: string;
  ses_feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: string | null;
}

export function insertComplaint(tx: Tx, row: NewComplaint & { id: string; created_at: Timestamp }) {
  return tx.insertInto('complaints').values(row).returning(['id', 'complaint_date']).executeTakeFirstOrThrow();
}

/** Newest first. */
export function selectComplaints(db: Db, page: { size: number; skip: number }) {
  return db
    .selectFrom('complaints')
    .innerJoin('services', 'services.id', 'complaints.service_id')
    .select([
      'complaints.id',
      'complaints.notification_id',
      'complaints.service_id',
      'services.name as service_name',
      'complaints.ses_feedback_id',
      'complaints.complaint_type',
      'complaints.complaint_date',
      'complaints.created_at',
    ])
    .orderBy('complaints.created_at', 'desc')
    .orderBy('complaints.id', 'desc')
    .limit(page.size)
    .offset(page.skip)
    .execute();
}

/** All of them, or those recorded from `from` until before `until`. */
export async function selectComplaintCount(db: Db, range?: { from: Timestamp; until: Timestamp }): Promise<number> {
  const { count } = await db
    .selectFrom('complaints')
    .select((complaint) => complaint.fn.countAll<number>().as('count'))
    .$if(range !== undefined, (query) =>
      query.where('created_at', '>=', range?.from ?? '').where('created_at', '<', range?.until ?? ''),
    )
    .executeTakeFirstOrThrow();
  return count;
}
