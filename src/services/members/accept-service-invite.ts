import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { claimServiceInvite } from '../../users/invites/service-invites.ts';
import { addServiceMember, isServiceMember } from '../../users/members/permissions.ts';
import { selectFolderOwners } from './service-members.sql.ts';

/** The invited person joins the service, in the transaction that marks the invitation as accepted. */
export async function acceptServiceInvite(
  { db, clock }: Platform,
  inviteId: string,
  userId: string,
): Promise<{ service_id: string }> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const invite = await claimServiceInvite(tx, inviteId, userId, now);
    const member = { service_id: invite.service, user_id: userId };
    if (await isServiceMember(tx, member)) return member;
    // Ignore folders that were deleted since the invitation.
    const folders = await selectFolderOwners(tx, invite.folder_permissions);
    const folder_permissions = folders.filter(({ service_id }) => service_id === invite.service).map(({ id }) => id);
    await addServiceMember(tx, { ...member, permissions: invite.permissions, folder_permissions }, now);
    return member;
  });
}
