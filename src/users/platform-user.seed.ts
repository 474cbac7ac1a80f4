import { timestamp } from '../platform/clock.ts';
import { exists } from '../platform/db/exists.ts';
import { type Seed, seededAt } from '../platform/db/seed.ts';
import { platformUserId } from './platform-user.ts';
import { insertUser } from './users.sql.ts';

/** The system user. It cannot sign in: no password has this hash, and its address receives no mail. */
export const seedPlatformUser: Seed = async (tx) => {
  if (await exists(tx, 'users', platformUserId)) return;
  const at = timestamp(seededAt);
  await insertUser(tx, {
    id: platformUserId,
    name: 'Pennypost',
    email_address: 'pennypost@platform.invalid',
    password_hash: 'none',
    auth_type: 'email_auth',
    state: 'active',
    email_access_validated_at: at,
    password_changed_at: at,
    created_at: at,
  });
};
