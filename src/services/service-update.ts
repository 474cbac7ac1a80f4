import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { type AccountMessageSender, accountTemplates } from '../users/account-messages/account-messages.ts';
import { raisedLimits } from './limits.ts';
import { selectActiveMembers } from './members/service-members.sql.ts';
import type { SettableFields } from './service-fields.ts';
import { emailSenderLocalPart, normalisedName } from './service-name.ts';
import { columnsOf, validateReferences } from './service-rows.ts';
import { updateServices } from './services.sql.ts';
import { getService, getServiceForUpdate, type Service } from './services.ts';

type Deps = Platform & { accountMessages: AccountMessageSender };

/** Omitted fields keep their values; every call creates a new version. */
export async function updateService(app: Deps, id: string, fields: SettableFields): Promise<Service> {
  await inTransaction(app.db, async (tx) => {
    const before = await getServiceForUpdate(tx, id);
    if (fields.active && !before.active) {
      throw invalidField('active', 'An archived service cannot be made active again.');
    }
    await validateReferences(tx, fields);
    const goesLive = before.restricted && fields.restricted === false;
    const name = fields.name ?? before.name;
    const senderName =
      fields.custom_email_sender_name === undefined ? before.custom_email_sender_name : fields.custom_email_sender_name;
    const change = {
      ...(goesLive ? raisedLimits(before) : {}),
      ...given(columnsOf(fields)),
      name,
      normalised_name: normalisedName(name),
      email_sender_local_part: emailSenderLocalPart(name, senderName),
    };
    await updateServices(tx, [id], change, timestamp(app.clock.now()));
    if (goesLive) await notifyTeam(app, tx, { id, name });
  });
  return getService(app.db, id);
}

async function notifyTeam(app: Deps, tx: Tx, service: { id: string; name: string }): Promise<void> {
  for (const member of await selectActiveMembers(tx, service.id)) {
    await app.accountMessages.send(tx, {
      template_id: accountTemplates.serviceLive,
      to: member.email_address,
      personalisation: { name: member.name, service_name: service.name },
    });
  }
}

function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
