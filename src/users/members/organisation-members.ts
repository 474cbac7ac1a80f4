import { getOrganisation } from '../../organisations/organisations.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, listUserRecords, type UserRecord } from '../user-record.ts';
import { selectActiveMemberIds } from './permissions.sql.ts';
import { addOrganisationMember, type OrganisationPermission, removeOrganisationMember } from './permissions.ts';

interface Membership {
  organisation_id: string;
  user_id: string;
}

/** Active users only, oldest account first. */
export async function listOrganisationMembers(db: Db, organisationId: string): Promise<UserRecord[]> {
  await getOrganisation(db, organisationId);
  return listUserRecords(db, await selectActiveMemberIds(db, organisationId));
}

/** An existing member keeps the membership and gets the new permissions. */
export async function joinOrganisation(
  { db, clock }: Platform,
  membership: Membership,
  permissions: OrganisationPermission[],
): Promise<UserRecord> {
  await inTransaction(db, (tx) => addOrganisationMember(tx, { ...membership, permissions }, clock.now()));
  return getUserRecord(db, membership.user_id);
}

export async function leaveOrganisation({ db }: Platform, membership: Membership): Promise<void> {
  await getOrganisation(db, membership.organisation_id);
  await getUserRecord(db, membership.user_id);
  const left = await inTransaction(db, (tx) => removeOrganisationMember(tx, membership));
  if (!left) throw notFound('User not found');
}
