import type { Selectable, Updateable } from 'kysely';
import { revokeAllApiKeys } from '../auth/api-keys.ts';
import { addDays } from '../countries/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { selectUnknownIds } from '../platform/db/exists.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalid, invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { archiveTemplatesOfService } from '../templates/templates.ts';
import { type AccountMessageSender, accountTemplates } from '../users/account-messages/account-messages.ts';
import { selectActiveMembers } from './members/service-members.sql.ts';
import { refuseRepeatedPermissions, type SettableFields } from './service-fields.ts';
import { emailSenderLocalPart, normalisedName } from './service-name.ts';
import { selectSendingDomain, updateServices } from './services.sql.ts';
import { getService, getServiceForUpdate, type Service } from './services.ts';
import { changeUnit, type TextUnit } from './settings/text-unit.ts';
import { addRecentBounces, suppressRecipients } from './suppression/suppression-list.ts';

type Deps = Platform & { accountMessages: AccountMessageSender };

/** Omitted fields keep their values; every call creates a new version. */
export async function updateService(
  app: Deps,
  id: string,
  fields: SettableFields & { sending_domain_id?: string | null | undefined },
): Promise<Service> {
  await inTransaction(app.db, async (tx) => {
    const before = await getServiceForUpdate(tx, id);
    if (fields.active && !before.active) {
      throw invalidField('active', 'An archived service cannot be made active again.');
    }
    await validateReferences(tx, fields);
    if (fields.sending_domain_id) await refuseOthersDomain(tx, before, fields.sending_domain_id);
    const goesLive = before.restricted && fields.restricted === false;
    const name = fields.name ?? before.name;
    const senderName =
      fields.custom_email_sender_name === undefined ? before.custom_email_sender_name : fields.custom_email_sender_name;
    const change = {
      ...(goesLive ? raisedLimits(before) : {}),
      ...given(columnsOf(fields)),
      ...unitFrom(app, before, fields.sms_limit_unit),
      name,
      normalised_name: normalisedName(name),
      email_sender_local_part: emailSenderLocalPart(name, senderName),
    };
    await updateServices(tx, [id], change, timestamp(app.clock.now()));
    const keepsList =
      fields.permissions?.includes(suppressRecipients) && !before.permissions.includes(suppressRecipients);
    if (keepsList) await addRecentBounces(app, tx, id, app.clock.now());
    if (goesLive) await notifyTeam(app, tx, { id, name });
  });
  return getService(app.db, id);
}

/** Uses the calendar of the limits. */
function unitFrom(
  { country: { limitCalendar }, clock }: Platform,
  before: Selectable<DB['services']>,
  unit?: TextUnit,
) {
  if (unit === undefined) return {};
  const today = limitCalendar.day(clock.now());
  return changeUnit(before, unit, { today, tomorrow: addDays(today, 1) });
}

/** A service can use its own domains, those of its organisation, and those of the installation. */
async function refuseOthersDomain(
  tx: Tx,
  { id, organisation_id }: { id: string; organisation_id: string | null },
  domainId: string,
): Promise<void> {
  const domain = await selectSendingDomain(tx, domainId);
  const isUsable =
    domain !== undefined &&
    domain.state !== 'retired' &&
    (domain.service_id === id ||
      domain.scope === 'installation' ||
      (domain.scope === 'organisation' && domain.organisation_id === organisation_id));
  if (!isUsable) throw invalidField('sending_domain_id', 'No result found');
}

/** Sets the domain that the service sends emails from. */
export async function setDomainOfService(tx: Tx, id: string, sending_domain_id: string, now: Date): Promise<void> {
  await updateServices(tx, [id], { sending_domain_id }, timestamp(now));
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

/** Default daily message limits by channel. */
const trial = {
  email_message_limit: 50,
  sms_message_limit: 50,
  letter_message_limit: 50,
  international_sms_message_limit: 100,
};

const live = {
  email_message_limit: 250_000,
  sms_message_limit: 250_000,
  letter_message_limit: 20_000,
  international_sms_message_limit: 100,
};

type Limits = typeof trial;

export function defaultLimits(restricted: boolean): Limits {
  return restricted ? trial : live;
}

/** Returns live values for the limits that still have their trial defaults. */
function raisedLimits(current: Limits): Partial<Limits> {
  const unchanged = (Object.keys(trial) as (keyof Limits)[]).filter((limit) => current[limit] === trial[limit]);
  return Object.fromEntries(unchanged.map((limit) => [limit, live[limit]]));
}

/** The API names references without the `_id` suffix of their columns. */
export function columnsOf(
  fields: SettableFields & { sending_domain_id?: string | null | undefined },
): Updateable<DB['services']> {
  const { created_by, organisation, go_live_user, email_branding, letter_branding, ...same } = fields;
  return {
    ...same,
    created_by_id: created_by,
    organisation_id: organisation,
    go_live_user_id: go_live_user,
    email_branding_id: email_branding === '' ? null : email_branding,
    letter_branding_id: letter_branding === '' ? null : letter_branding,
  };
}

/** The table that each id field of a service references. */
const references = [
  ['created_by', 'users'],
  ['go_live_user', 'users'],
  ['organisation', 'organisations'],
  ['email_branding', 'email_branding'],
  ['letter_branding', 'letter_branding'],
] as const;

/** Checks that a schema cannot express: duplicate permissions and unknown ids, all reported together. */
export async function validateReferences(tx: Tx, fields: SettableFields): Promise<void> {
  if (fields.permissions) refuseRepeatedPermissions(fields.permissions);
  const given = references.flatMap(([field, table]) => {
    const id = fields[field];
    return id ? [{ field, table, id }] : [];
  });
  const unknown = await selectUnknownIds(tx, given);
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((field) => [field, ['No result found']])));
}

/** Cannot be undone. Idempotent. */
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
