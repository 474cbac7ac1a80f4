import { type Insertable, sql, type Updateable } from 'kysely';
import { jsonObjectFrom } from 'kysely/helpers/postgres';
import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import type { DB } from '../../platform/db/schema.ts';

export async function insertJoinRequest(tx: Tx, row: Insertable<DB['service_join_requests']>): Promise<void> {
  await tx.insertInto('service_join_requests').values(row).execute();
}

export function selectJoinRequest(db: Db | Tx, serviceId: string, requestId: string) {
  return db
    .selectFrom('service_join_requests as request')
    .where('request.service_id', '=', serviceId)
    .where('request.id', '=', requestId)
    .select((request) => [
      'request.id',
      'request.service_id',
      'request.status',
      'request.status_changed_at',
      'request.reason',
      'request.created_at',
      'request.contacted_user_ids as contacted_service_users',
      jsonObjectFrom(
        request
          .selectFrom('users')
          .whereRef('users.id', '=', 'request.requester_id')
          .select([
            'users.id',
            'users.name',
            'users.email_address',
            sql<string[]>`array(
              select member.service_id from service_members member join services on services.id = member.service_id
              where member.user_id = users.id and services.active order by member.service_id)`.as('belongs_to_service'),
          ]),
      )
        .$notNull()
        .as('requester'),
      jsonObjectFrom(
        request
          .selectFrom('users')
          .whereRef('users.id', '=', 'request.status_changed_by_id')
          .select(['users.id', 'users.name']),
      ).as('status_changed_by'),
    ])
    .executeTakeFirst();
}

/** Oldest first. */
export function selectPendingJoinRequests(db: Db, serviceId: string, limit: number) {
  return db
    .selectFrom('service_join_requests as request')
    .innerJoin('users', 'users.id', 'request.requester_id')
    .select(['request.id', 'request.created_at', 'request.contacted_user_ids', 'users.name', 'users.email_address'])
    .where('request.service_id', '=', serviceId)
    .where('request.status', '=', 'pending')
    .orderBy('request.id')
    .limit(limit)
    .execute();
}

/**
 * Locks all requests of the same user for the service until the transaction ends, because approving one cancels the
 * others. The fixed order prevents deadlocks.
 */
export function lockJoinRequestsOfRequester(tx: Tx, serviceId: string, requestId: string) {
  return tx
    .selectFrom('service_join_requests')
    .select(['id', 'requester_id', 'status'])
    .where('service_id', '=', serviceId)
    .where('requester_id', '=', (request) =>
      request.selectFrom('service_join_requests').select('requester_id').where('id', '=', requestId),
    )
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function updateJoinRequests(
  tx: Tx,
  requestIds: string[],
  change: Updateable<DB['service_join_requests']>,
): Promise<void> {
  await tx.updateTable('service_join_requests').set(change).where('id', '=', anyOf(requestIds)).execute();
}

/** Ids are time-ordered. */
export async function clearReasonsBefore(db: Db, beforeId: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update service_join_requests set reason = null where id in (
      select id from service_join_requests where id < ${beforeId} and reason is not null order by id limit ${limit})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

export function selectUsersToContact(db: Db, ids: string[]) {
  return db.selectFrom('users').select(['id', 'name', 'email_address']).where('id', '=', anyOf(ids)).execute();
}
