import type { Db } from '../../platform/db/database.ts';

/** Selects the service that owns a normalised inbound number, with its permissions. */
export function selectServiceOfNumber(db: Db, normalised: string) {
  return db
    .selectFrom('inbound_numbers')
    .innerJoin('services', 'services.id', 'inbound_numbers.service_id')
    .select(['services.id', 'services.permissions', 'inbound_numbers.number'])
    .where('inbound_numbers.normalised_number', '=', normalised)
    .where('inbound_numbers.active', '=', true)
    .where('services.active', '=', true)
    .executeTakeFirst();
}
