import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

export type GuestType = 'email' | 'mobile';

export function selectGuests(db: Db, serviceId: string) {
  return db
    .selectFrom('service_guest_list')
    .select(['recipient_type', 'recipient'])
    .where('service_id', '=', serviceId)
    .orderBy('position')
    .execute();
}

export async function replaceGuests(
  tx: Tx,
  service_id: string,
  guests: { recipient_type: GuestType; position: number; recipient: string }[],
): Promise<void> {
  await tx.deleteFrom('service_guest_list').where('service_id', '=', service_id).execute();
  // One JSON parameter, because the number of SQL parameters is limited and the number of guests is not.
  await sql`
    insert into service_guest_list (service_id, recipient_type, position, recipient)
    select ${service_id}, recipient_type, position, recipient
    from json_to_recordset(${JSON.stringify(guests)}::json) as guest (recipient_type text, position int, recipient text)
  `.execute(tx);
}

/** Searches the guest list of one service, or all lists if `serviceId` is undefined. */
export function selectAllGuests(db: Db, serviceId: string | undefined) {
  let query = db.selectFrom('service_guest_list').select(['service_id', 'recipient_type', 'position', 'recipient']);
  if (serviceId !== undefined) query = query.where('service_id', '=', serviceId);
  return query.execute();
}

export async function deleteGuest(
  db: Db,
  { service_id, recipient_type, position }: { service_id: string; recipient_type: string; position: number },
): Promise<void> {
  await sql`delete from service_guest_list
    where service_id = ${service_id} and recipient_type = ${recipient_type} and position = ${position}`.execute(db);
}
