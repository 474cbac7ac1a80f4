import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { updateUserRow } from '../users.sql.ts';
import { lockUser } from '../users.ts';
import { lockPlatformAdmins } from './platform-admins.sql.ts';

/** Sessions from before the change end: an administrator signs in as one. */
export async function setPlatformAdmin(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  userId: string,
  isAdmin: boolean,
): Promise<UserRecord> {
  return inTransaction(db, async (tx) => {
    if (!isAdmin) await refuseLastPlatformAdmin(tx, userId);
    await lockUser(tx, userId);
    const { state, platform_admin } = await getUserRecord(tx, userId);
    if (isAdmin && state !== 'active') throw invalid('Only an active user can become a platform administrator');
    if (platform_admin !== isAdmin) {
      await updateUserRow(tx, userId, { platform_admin: isAdmin, updated_at: timestamp(clock.now()) });
    }
    return getUserRecord(tx, userId);
  });
}

/** Without any, whoever has the set-up code could become one. Of two removals at once, the second waits for the first. */
async function refuseLastPlatformAdmin(tx: Tx, userId: string): Promise<void> {
  const admins = await lockPlatformAdmins(tx);
  if (admins.length === 1 && admins[0]?.id === userId.toLowerCase()) {
    throw invalid('This is the only platform administrator: make another person one first');
  }
}
