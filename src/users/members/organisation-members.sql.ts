import type { Db } from '../../platform/db/database.ts';

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
