import { timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import { deleteEventsBefore } from './events.sql.ts';
import { clearReasonsBefore } from './invites/join-requests.sql.ts';

const batch = 2_000;

/** Deletes old events and the reasons given in requests to join a service. */
export async function deleteOldUserRecords(db: Db, before: Date): Promise<void> {
  while ((await deleteEventsBefore(db, timestamp(before), batch)) === batch);
  while ((await clearReasonsBefore(db, firstIdAt(before), batch)) === batch);
}
