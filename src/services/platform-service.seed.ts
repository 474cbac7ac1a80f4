import { timestamp } from '../platform/clock.ts';
import { exists } from '../platform/db/exists.ts';
import { type Seed, seededAt } from '../platform/db/seed.ts';
import { addServiceMember, creatorPermissions } from '../users/members/permissions.ts';
import { platformServiceId, platformUserId } from '../users/platform-user.ts';
import { insertSender } from './senders/senders.sql.ts';
import { insertService } from './services.sql.ts';

/** More than the platform can ever send in a day. */
const unlimited = 2_000_000_000;

/**
 * The platform service sends codes, links and notices to users as ordinary notifications. Created once with its member and sender;
 * afterwards a platform administrator may change it like any other service.
 */
export const seedPlatformService: Seed = async (tx) => {
  if (await exists(tx, 'services', platformServiceId)) return;
  const created_at = timestamp(seededAt);
  await insertService(tx, {
    id: platformServiceId,
    name: 'Pennypost',
    normalised_name: 'pennypost',
    email_sender_local_part: 'pennypost',
    restricted: false,
    count_as_live: false,
    permissions: ['email', 'sms', 'letter', 'international_sms', 'international_letters'],
    email_message_limit: unlimited,
    sms_message_limit: unlimited,
    letter_message_limit: unlimited,
    international_sms_message_limit: unlimited,
    created_by_id: platformUserId,
    created_at,
  });
  await addServiceMember(
    tx,
    { service_id: platformServiceId, user_id: platformUserId, permissions: creatorPermissions },
    seededAt,
  );
  await insertSender(tx, 'service_sms_senders', {
    id: '286d6176-adbe-7ea7-ba26-b7606ee5e2a4',
    service_id: platformServiceId,
    sms_sender: 'PENNYPOST',
    is_default: true,
    created_at,
  });
};
