import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import type { DB } from '../../platform/db/schema.ts';
import { type Failure, invalid, notFound } from '../../platform/failure.ts';

export interface ServiceMember {
  service_id: string;
  user_id: string;
}

interface OrganisationMember {
  organisation_id: string;
  user_id: string;
}

export async function isServiceMember(db: Db | Tx, member: ServiceMember): Promise<boolean> {
  const row = await db
    .selectFrom('service_members')
    .select('user_id')
    .where('service_id', '=', member.service_id)
    .where('user_id', '=', member.user_id)
    .executeTakeFirst();
  return row !== undefined;
}

export function alreadyMember({ user_id, service_id }: ServiceMember): Failure {
  return invalid(`User id: ${user_id} already part of service id: ${service_id}`);
}

export async function insertServiceMember(
  tx: Tx,
  row: ServiceMember & { permissions: string[]; created_at: Timestamp },
): Promise<void> {
  await withConstraints(
    {
      service_members_pkey: () => alreadyMember(row),
      service_members_user_id_fkey: () => notFound(),
      service_members_service_id_fkey: () => notFound(),
    },
    () => tx.insertInto('service_members').values(row).execute(),
  );
}

export async function deleteServiceMember(tx: Tx, member: ServiceMember): Promise<void> {
  await tx
    .deleteFrom('service_members')
    .where('service_id', '=', member.service_id)
    .where('user_id', '=', member.user_id)
    .execute();
}

export async function updateServiceMemberPermissions(
  tx: Tx,
  member: ServiceMember,
  permissions: string[],
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('service_members')
    .set({ permissions })
    .where('service_id', '=', member.service_id)
    .where('user_id', '=', member.user_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteFolderPermissions(tx: Tx, member: ServiceMember): Promise<void> {
  await tx
    .deleteFrom('template_folder_members')
    .where('service_id', '=', member.service_id)
    .where('user_id', '=', member.user_id)
    .execute();
}

/** Adds the folders that belong to the service; returns how many. */
export async function insertFolderPermissions(tx: Tx, member: ServiceMember, folderIds: string[]): Promise<number> {
  if (folderIds.length === 0) return 0;
  const added = await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('template_folders')
        .where('service_id', '=', member.service_id)
        .where('id', '=', anyOf(folderIds))
        .select(['id', 'service_id', sql<string>`${member.user_id}::uuid`.as('user_id')]),
    )
    .returning('template_folder_id')
    .execute();
  return added.length;
}

export async function insertOrganisationMember(
  tx: Tx,
  row: OrganisationMember & { created_at: Timestamp },
): Promise<void> {
  await withConstraints(
    {
      organisation_members_user_id_fkey: () => notFound(),
      organisation_members_organisation_id_fkey: () => notFound(),
    },
    () =>
      tx
        .insertInto('organisation_members')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
  );
}

export async function deleteOrganisationMember(tx: Tx, member: OrganisationMember): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('organisation_members')
    .where('organisation_id', '=', member.organisation_id)
    .where('user_id', '=', member.user_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function replaceOrganisationPermissions(
  tx: Tx,
  { organisation_id, user_id }: OrganisationMember,
  permissions: DB['organisation_permissions']['permission'][],
): Promise<void> {
  await tx
    .deleteFrom('organisation_permissions')
    .where('organisation_id', '=', organisation_id)
    .where('user_id', '=', user_id)
    .execute();
  if (permissions.length === 0) return;
  await withConstraints(
    {
      organisation_permissions_user_id_fkey: () => notFound(),
      organisation_permissions_organisation_id_fkey: () => notFound(),
    },
    () =>
      tx
        .insertInto('organisation_permissions')
        .values(permissions.map((permission) => ({ organisation_id, user_id, permission })))
        // With two concurrent writers of the same set, either result is valid.
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
  );
}

export async function deleteMembershipsOfUser(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('service_members').where('user_id', '=', userId).execute();
  await deleteOrganisationMemberships(tx, userId);
}

export async function deleteOrganisationMemberships(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('organisation_permissions').where('user_id', '=', userId).execute();
  await tx.deleteFrom('organisation_members').where('user_id', '=', userId).execute();
}

interface Folder {
  id: string;
  service_id: string;
}

export async function deleteFolderMembers(tx: Tx, folder: Folder): Promise<void> {
  await tx.deleteFrom('template_folder_members').where('template_folder_id', '=', folder.id).execute();
}

/** Grants access to the folder to users in the service's team; returns how many. */
export async function insertFolderMembers(tx: Tx, folder: Folder, userIds: string[]): Promise<number> {
  const added = await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('service_members')
        .where('service_id', '=', folder.service_id)
        .where('user_id', '=', anyOf(userIds))
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .returning('user_id')
    .execute();
  return added.length;
}

export async function insertActiveMembers(tx: Tx, folder: Folder): Promise<void> {
  await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('service_members')
        .innerJoin('users', 'users.id', 'service_members.user_id')
        .where('service_id', '=', folder.service_id)
        .where('users.state', '=', 'active')
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .execute();
}

export async function copyFolderMembers(tx: Tx, folder: Folder, parentId: string): Promise<void> {
  await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('template_folder_members')
        .where('template_folder_id', '=', parentId)
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .execute();
}

export async function selectActiveMemberIds(db: Db, organisationId: string): Promise<string[]> {
  const members = await db
    .selectFrom('organisation_members')
    .innerJoin('users', 'users.id', 'organisation_members.user_id')
    .select('users.id')
    .where('organisation_id', '=', organisationId)
    .where('users.state', '=', 'active')
    .execute();
  return members.map(({ id }) => id);
}
