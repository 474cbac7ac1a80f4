import type { Db, Tx } from '../platform/db/database.ts';

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
  if (guests.length === 0) return;
  await tx
    .insertInto('service_guest_list')
    .values(guests.map((guest) => ({ service_id, ...guest })))
    .execute();
}
