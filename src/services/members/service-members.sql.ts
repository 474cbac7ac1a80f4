import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';

/** All members of the team, in any state, in the order they joined. */
export function selectMembers(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('service_members')
    .innerJoin('users', 'users.id', 'service_members.user_id')
    .select(['users.id', 'users.name', 'users.email_address', 'users.state', 'service_members.permissions'])
    .where('service_id', '=', serviceId)
    .orderBy('service_members.created_at')
    .orderBy('users.id')
    .execute();
}

export async function selectActiveMembers(tx: Tx, serviceId: string) {
  return (await selectMembers(tx, serviceId)).filter(({ state }) => state === 'active');
}

/** The service of each folder; omits folders that do not exist. */
export function selectFolderOwners(tx: Tx, folderIds: string[]) {
  return tx.selectFrom('template_folders').select(['id', 'service_id']).where('id', '=', anyOf(folderIds)).execute();
}
