import type { Db, Tx } from '../../platform/db/database.ts';

/** Ignores archived administrators, who cannot sign in. */
export function selectPlatformAdmins(db: Db | Tx) {
  return db
    .selectFrom('users')
    .select(['email_address', 'password_hash'])
    .where('platform_admin', '=', true)
    .where('state', '<>', 'inactive')
    .orderBy('created_at')
    .execute();
}
