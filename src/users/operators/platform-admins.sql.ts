import type { Tx } from '../../platform/db/database.ts';
import { platformUserId } from '../account-messages/account-messages.ts';

/** The active ones, locked until the transaction ends. The platform's own user never signs in. */
export function lockPlatformAdmins(tx: Tx) {
  return tx
    .selectFrom('users')
    .select('id')
    .where('platform_admin', '=', true)
    .where('state', '=', 'active')
    .where('id', '<>', platformUserId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
