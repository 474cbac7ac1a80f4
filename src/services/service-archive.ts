import { revokeAllApiKeys } from '../auth/api-keys.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { archiveTemplatesOfService } from '../templates/templates.ts';
import { emailSenderLocalPart, normalisedName } from './service-name.ts';
import { updateServices } from './services.sql.ts';
import { getServiceForUpdate } from './services.ts';

/** Cannot be undone. Archiving again changes nothing. */
export async function archiveService({ db, clock }: Platform, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const service = await getServiceForUpdate(tx, id);
    if (!service.active) return;
    const now = clock.now();
    const name = archivedName(service.name, now);
    await archiveTemplatesOfService(tx, id, now);
    await revokeAllApiKeys(tx, id, now);
    const change = {
      active: false,
      name,
      normalised_name: normalisedName(name),
      email_sender_local_part: emailSenderLocalPart(name, service.custom_email_sender_name),
    };
    await updateServices(tx, [id], change, timestamp(now));
  });
}
