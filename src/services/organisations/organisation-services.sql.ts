import type { Db, Tx } from '../../platform/db/database.ts';

/** Active ones first, then by name. */
export function selectServicesOfOrganisation(db: Db, organisationId: string) {
  return db
    .selectFrom('services')
    .select(['id', 'name', 'active', 'restricted', 'has_active_go_live_request'])
    .where('organisation_id', '=', organisationId)
    .orderBy('active', 'desc')
    .orderBy('name')
    .execute();
}

/** Locks the rows until the transaction ends, in a fixed order to prevent deadlocks. */
export function lockServicesOfOrganisation(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('services')
    .select(['id', 'email_branding_id', 'letter_branding_id'])
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
