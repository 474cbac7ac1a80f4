import type { Insertable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { OrganisationInvites } from '../../platform/db/schema.ts';
import { invalidField } from '../../platform/failure.ts';

const columns = [
  'id',
  'email_address',
  'invited_by_id as invited_by',
  'organisation_id as organisation',
  'permissions',
  'status',
  'created_at',
] as const;

export function insertOrganisationInvite(tx: Tx, row: Insertable<OrganisationInvites>) {
  return withConstraints(
    { organisation_invites_invited_by_id_fkey: () => invalidField('invited_by', 'No result found') },
    () => tx.insertInto('organisation_invites').values(row).returning(columns).executeTakeFirstOrThrow(),
  );
}

export function selectOrganisationInvites(db: Db, organisationId: string) {
  return db
    .selectFrom('organisation_invites')
    .select(columns)
    .where('organisation_id', '=', organisationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectOrganisationInvite(db: Db, inviteId: string) {
  return db.selectFrom('organisation_invites').select(columns).where('id', '=', inviteId).executeTakeFirst();
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
    .returning(columns)
    .executeTakeFirst();
}

/** Undefined when it is not pending. */
export function acceptOrganisationInviteRow(tx: Tx, inviteId: string) {
  return tx
    .updateTable('organisation_invites')
    .set({ status: 'accepted' })
    .where('id', '=', inviteId)
    .where('status', '=', 'pending')
    .returning(columns)
    .executeTakeFirst();
}

export async function deleteOrganisationInvitesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('organisation_invites').where('created_at', '<=', moment).execute();
}
