import type { Tx } from '../../platform/db/database.ts';
import { platformUserId } from '../account-messages/account-messages.ts';

/** The platform's own user never signs in. */
function activeAdmins(tx: Tx) {
  return tx
    .selectFrom('users')
    .where('platform_admin', '=', true)
    .where('state', '=', 'active')
    .where('id', '<>', platformUserId)
    .orderBy('id');
}

/** The active ones, locked until the transaction ends. */
export function lockPlatformAdmins(tx: Tx) {
  return activeAdmins(tx).select('id').forNoKeyUpdate().execute();
}

export function selectActiveAdmins(tx: Tx) {
  return activeAdmins(tx).select(['id', 'name', 'email_address']).execute();
}
