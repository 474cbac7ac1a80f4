import type { Insertable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

const columns = ['id', 'user_id', 'device', 'created_at', 'last_used_at'] as const;

export async function insertSession(db: Db, row: Insertable<DB['sessions']>): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/**
 * Omits sessions of archived users, and sessions that began before the password or the platform administrator role changed, or before too
 * many wrong passwords or codes.
 */
function liveSessions(db: Db, since: Timestamp) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.created_at', '>', since)
    .where('users.state', '=', 'active')
    .whereRef('sessions.password_changed_at', '=', 'users.password_changed_at')
    .where((row) =>
      row.or([row('users.locked_at', 'is', null), row('sessions.created_at', '>', row.ref('users.locked_at'))]),
    )
    .whereRef('sessions.platform_admin', '=', 'users.platform_admin')
    .select(columns.map((name) => `sessions.${name}` as const))
    .select(['sessions.platform_admin', 'users.read_only_operator']);
}

export function selectLiveSession(db: Db, tokenHash: string, since: Timestamp) {
  return liveSessions(db, since).where('sessions.token_hash', '=', tokenHash).executeTakeFirst();
}

export function selectLiveSessionsOfUser(db: Db, userId: string, since: Timestamp) {
  return liveSessions(db, since)
    .where('sessions.user_id', '=', userId)
    .orderBy('sessions.last_used_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .execute();
}

export async function updateSession(
  db: Db,
  id: string,
  change: { last_used_at: Timestamp } | { password_changed_at: Timestamp },
): Promise<void> {
  await db.updateTable('sessions').set(change).where('id', '=', id).execute();
}

/** Returns false when the user has no such session. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function deleteOtherSessions(db: Db, userId: string, keptId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', keptId).execute();
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

export async function deleteSessionsUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('sessions').where('created_at', '<=', moment).execute();
}
