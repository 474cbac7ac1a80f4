import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { ServiceInvites } from '../../platform/db/schema.ts';
import { invalidField } from '../../platform/failure.ts';

const columns = [
  'id',
  'email_address',
  'from_user_id as from_user',
  'service_id as service',
  'auth_type',
  'folder_permissions',
  'status',
  'created_at',
] as const;
const permissions = sql<string>`array_to_string(permissions, ',')`.as('permissions');

export function insertServiceInvite(tx: Tx, row: Insertable<ServiceInvites>) {
  return withConstraints(
    { service_invites_from_user_id_fkey: () => invalidField('from_user', 'No result found') },
    () =>
      tx
        .insertInto('service_invites')
        .values(row)
        .returning([...columns, permissions])
        .executeTakeFirstOrThrow(),
  );
}

export function selectServiceInvites(db: Db, serviceId: string) {
  return db
    .selectFrom('service_invites')
    .select([...columns, permissions])
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectServiceInvite(db: Db, inviteId: string) {
  return db
    .selectFrom('service_invites')
    .select([...columns, permissions])
    .where('id', '=', inviteId)
    .executeTakeFirst();
}

export function updateServiceInviteRow(
  db: Db,
  which: { service_id: string; invite_id: string },
  change: Partial<Pick<Insertable<ServiceInvites>, 'status' | 'auth_type'>>,
) {
  return db
    .updateTable('service_invites')
    .set(change)
    .where('service_id', '=', which.service_id)
    .where('id', '=', which.invite_id)
    .returning([...columns, permissions])
    .executeTakeFirst();
}

/** Undefined when it is not pending. */
export function acceptServiceInviteRow(tx: Tx, inviteId: string) {
  return tx
    .updateTable('service_invites')
    .set({ status: 'accepted' })
    .where('id', '=', inviteId)
    .where('status', '=', 'pending')
    .returning([...columns, 'permissions'])
    .executeTakeFirst();
}

export async function selectServiceName(db: Db | Tx, serviceId: string): Promise<string | undefined> {
  return (await db.selectFrom('services').select('name').where('id', '=', serviceId).executeTakeFirst())?.name;
}

export async function deleteServiceInvitesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('service_invites').where('created_at', '<=', moment).execute();
}
