import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';

/** One open request per message: unsubscribing again before the service has processed it changes nothing. */
export async function insertUnsubscribeRequest(
  tx: Tx,
  row: {
    id: string;
    service_id: string;
    notification_id: string;
    template_id: string;
    template_version: number;
    email_address: string;
    created_at: Timestamp;
  },
): Promise<void> {
  await tx
    .insertInto('unsubscribe_requests')
    // The link may be older than the retention of its message; then its job is not known.
    .values({ ...row, job_id: sql`(select job_id from notifications where id = ${row.notification_id})` })
    .onConflict((conflict) => conflict.column('notification_id').where('processed', '=', false).doNothing())
    .execute();
}
