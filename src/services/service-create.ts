import { recordImport, requireUnusedId } from '../auth/imported.ts';
import type { Country } from '../countries/country.ts';
import { hasCrownBodies, type OrganisationType } from '../organisations/organisation-types.ts';
import { findOrganisationIdByEmailAddress, getOrganisation } from '../organisations/organisations.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { PublicApiSettings } from '../protocol/settings.ts';
import { addServiceMember, creatorPermissions } from '../users/members/permissions.ts';
import { getUserRecord, type UserRecord } from '../users/user-record.ts';
import { insertSender } from './senders/senders.sql.ts';
import { defaultServicePermissions, type SettableFields } from './service-fields.ts';
import { emailSenderLocalPart, normalisedName } from './service-name.ts';
import { columnsOf, defaultLimits, validateReferences } from './service-update.ts';
import { insertService, nhsNotifyOrganisationId, selectNhsBrands, selectOrganisationId } from './services.sql.ts';
import { type Allowances, getService, type Service } from './services.ts';
import type { TextSenderSettings } from './settings.ts';

type Deps = Platform & { config: { api: PublicApiSettings; sms: TextSenderSettings }; allowances: Allowances };

/** Creates the service with everything it needs to send, in one transaction. */
export async function createService(
  app: Deps,
  request: SettableFields & { name: string; user_id: string; id?: string | undefined },
): Promise<Service> {
  const { user_id, id: importedId, ...fields } = request;
  const now = app.clock.now();
  const id = await inTransaction(app.db, async (tx) => {
    const id = importedId === undefined ? newId(now) : await requireUnusedId(tx, importedId);
    const creator = await getUserRecord(tx, user_id);
    await validateReferences(tx, fields);
    const restricted = fields.restricted ?? true;
    await insertService(tx, {
      restricted,
      ...defaultLimits(restricted),
      count_as_live: !creator.platform_admin,
      api_dialect: app.config.api.dialect,
      ...columnsOf(fields),
      ...(await organisationDefaults(app.country, tx, creator, fields)),
      id,
      name: fields.name,
      normalised_name: normalisedName(fields.name),
      email_sender_local_part: emailSenderLocalPart(fields.name, fields.custom_email_sender_name),
      permissions: fields.permissions ?? defaultServicePermissions,
      created_by_id: fields.created_by ?? user_id,
      created_at: timestamp(now),
    });
    await addServiceMember(tx, { service_id: id, user_id, permissions: creatorPermissions }, now);
    await insertSender(tx, 'service_sms_senders', {
      id: newId(now),
      service_id: id,
      sms_sender: app.config.sms.defaultSender,
      is_default: true,
      created_at: timestamp(now),
    });
    await app.allowances.reset(app.country, tx, id, now);
    if (importedId !== undefined) await recordImport(tx, { noun: 'service', id, service_id: id });
    return id;
  });
  return getService(app.db, id);
}

/** Whether the service is a Crown body; null if neither the country nor the type determines that. */
function crownOf({ organisations }: Country, type: OrganisationType | null): boolean | null {
  if (!hasCrownBodies({ organisations })) return false;
  return organisations.types.find(({ id }) => id === type)?.crown ?? null;
}

/** Returns defaults from the organisation of the service: the requested one, or else the owner of the creator's email domain. */
async function organisationDefaults(country: Country, tx: Tx, creator: UserRecord, fields: SettableFields) {
  const requested = fields.organisation_type ?? null;
  const organisationId =
    fields.organisation ??
    (requested === 'nhs_notify' ? await selectOrganisationId(tx, nhsNotifyOrganisationId) : undefined) ??
    (await findOrganisationIdByEmailAddress(tx, creator.email_address));
  if (organisationId) {
    const organisation = await getOrganisation(tx, organisationId);
    const type = organisation.organisation_type ?? requested;
    return {
      organisation_id: organisation.id,
      organisation_type: type,
      crown: organisation.crown,
      email_branding_id: fields.email_branding || organisation.email_branding_id,
      letter_branding_id: fields.letter_branding || organisation.letter_branding_id,
    };
  }
  const crown = crownOf(country, requested);
  const hasNhs = country.organisations.strategy === 'nhs';
  if (!hasNhs || !isNhs(requested, creator.email_address)) return { crown };
  const brands = await selectNhsBrands(tx);
  return {
    crown,
    email_branding_id: fields.email_branding || brands.email_branding_id,
    letter_branding_id: fields.letter_branding || brands.letter_branding_id,
  };
}

function isNhs(type: OrganisationType | null, emailAddress: string): boolean {
  return Boolean(type?.startsWith('nhs_')) || /[@.]nhs\.(uk|net)$/i.test(emailAddress);
}
