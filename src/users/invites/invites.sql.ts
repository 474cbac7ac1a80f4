import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
import { invalidField } from '../../platform/failure.ts';

/** Counts invitations to services and organisations in any state. Invitations are deleted after two days. */
export async function countInvitesSince(tx: Tx, userId: string, moment: Timestamp): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from service_invites where from_user_id = ${userId} and created_at > ${moment})::int
      + (select count(*) from organisation_invites where invited_by_id = ${userId} and created_at > ${moment})::int
      as count`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function countOpenServiceInvites(tx: Tx, serviceId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('service_invites')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('service_id', '=', serviceId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}

/** Serialises invitations to a service in trial mode until the transaction ends. Returns whether the service is in trial mode. */
export async function lockTrialService(tx: Tx, serviceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('services')
    .select('id')
    .where('id', '=', serviceId)
    .where('restricted', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

const serviceColumns = [
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

export function insertServiceInvite(tx: Tx, row: Insertable<DB['service_invites']>) {
  return withConstraints(
    { service_invites_from_user_id_fkey: () => invalidField('from_user', 'No result found') },
    () =>
      tx
        .insertInto('service_invites')
        .values(row)
        .returning([...serviceColumns, permissions])
        .executeTakeFirstOrThrow(),
  );
}

export function selectServiceInvites(db: Db, serviceId: string) {
  return db
    .selectFrom('service_invites')
    .select([...serviceColumns, permissions])
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectServiceInvite(db: Db, inviteId: string) {
  return db
    .selectFrom('service_invites')
    .select([...serviceColumns, permissions])
    .where('id', '=', inviteId)
    .executeTakeFirst();
}

export function updateServiceInviteRow(
  db: Db,
  which: { service_id: string; invite_id: string },
  change: Partial<Pick<Insertable<DB['service_invites']>, 'status' | 'auth_type'>>,
) {
  return db
    .updateTable('service_invites')
    .set(change)
    .where('service_id', '=', which.service_id)
    .where('id', '=', which.invite_id)
    .returning([...serviceColumns, permissions])
    .executeTakeFirst();
}

/** Returns undefined if the invitation is not pending. */
export function acceptServiceInviteRow(tx: Tx, inviteId: string) {
  return tx
    .updateTable('service_invites')
    .set({ status: 'accepted' })
    .where('id', '=', inviteId)
    .where('status', '=', 'pending')
    .returning([...serviceColumns, 'permissions'])
    .executeTakeFirst();
}

export async function selectServiceName(db: Db | Tx, serviceId: string): Promise<string | undefined> {
  return (await db.selectFrom('services').select('name').where('id', '=', serviceId).executeTakeFirst())?.name;
}

export async function deleteServiceInvitesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('service_invites').where('created_at', '<=', moment).execute();
}

const organisationColumns = [
  'id',
  'email_address',
  'invited_by_id as invited_by',
  'organisation_id as organisation',
  'permissions',
  'status',
  'created_at',
] as const;

export function insertOrganisationInvite(tx: Tx, row: Insertable<DB['organisation_invites']>) {
  return withConstraints(
    { organisation_invites_invited_by_id_fkey: () => invalidField('invited_by', 'No result found') },
    () => tx.insertInto('organisation_invites').values(row).returning(organisationColumns).executeTakeFirstOrThrow(),
  );
}

export function selectOrganisationInvites(db: Db, organisationId: string) {
  return db
    .selectFrom('organisation_invites')
    .select(organisationColumns)
    .where('organisation_id', '=', organisationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectOrganisationInvite(db: Db, inviteId: string) {
  return db
    .selectFrom('organisation_invites')
    .select(organisationColumns)
    .where('id', '=', inviteId)
    .executeTakeFirst();
}

export function updateOrganisationInviteRow(
  db: Db,
  which: { organisation_id: string; invite_id: string },
  status: 'pending' | 'accepted' | 'cancelled',
) {
  return db
    .updateTable('organisation_invites')
    .set({ status })
    .where('organisation_id', '=', which.organisation_id)
    .where('id', '=', which.invite_id)
    .returning(organisationColumns)
    .executeTakeFirst();
}

/** Returns undefined if the invitation is not pending. */
export function acceptOrganisationInviteRow(tx: Tx, inviteId: string) {
  return tx
    .updateTable('organisation_invites')
    .set({ status: 'accepted' })
    .where('id', '=', inviteId)
    .where('status', '=', 'pending')
    .returning(organisationColumns)
    .executeTakeFirst();
}

export async function deleteOrganisationInvitesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('organisation_invites').where('created_at', '<=', moment).execute();
}
