import { jsonObjectFrom } from 'kysely/helpers/postgres';
import type { Db, Tx } from '../../platform/db/database.ts';

export function selectGoLiveRequest(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('services')
    .where('services.id', '=', serviceId)
    .select((service) => [
      'services.name as service_name',
      'services.has_active_go_live_request as open',
      jsonObjectFrom(
        service
          .selectFrom('users')
          .whereRef('users.id', '=', 'services.go_live_user_id')
          .select(['users.name', 'users.email_address']),
      ).as('requester'),
      jsonObjectFrom(
        service
          .selectFrom('organisations')
          .whereRef('organisations.id', '=', 'services.organisation_id')
          .select(['organisations.id', 'organisations.name']),
      ).as('organisation'),
    ])
    .executeTakeFirst();
}

/** Active members who may make services live. */
export function selectApprovers(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('organisation_members as member')
    .innerJoin('users', 'users.id', 'member.user_id')
    .innerJoin('organisation_permissions as permission', (join) =>
      join
        .onRef('permission.user_id', '=', 'member.user_id')
        .onRef('permission.organisation_id', '=', 'member.organisation_id'),
    )
    .where('member.organisation_id', '=', organisationId)
    .where('permission.permission', '=', 'can_make_services_live')
    .where('users.state', '=', 'active')
    .select(['users.name', 'users.email_address'])
    .orderBy('users.created_at')
    .orderBy('users.id')
    .execute();
}
