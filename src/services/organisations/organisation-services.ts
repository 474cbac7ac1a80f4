import { addDefaultToPool } from '../../branding/brand-pools.ts';
import { hasCrownBodies, toOrganisationType } from '../../organisations/organisation-types.ts';
import { getOrganisation, type OrganisationChange, updateOrganisation } from '../../organisations/organisations.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { refusedEmailAddress } from '../../recipients/recipient-texts.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import { getUserRecord } from '../../users/user-record.ts';
import {
  lockService,
  lockServicesOfOrganisation,
  selectServicesOfOrganisation,
  updateServices,
} from '../services.sql.ts';
import type { Allowances } from '../services.ts';

type Deps = Platform & { allowances: Allowances };
type ReceiptDeps = Deps & { accountMessages: AccountMessageSender; config: { urls: Urls } };

export async function listServicesOfOrganisation(db: Db, organisationId: string) {
  await getOrganisation(db, organisationId);
  return selectServicesOfOrganisation(db, organisationId);
}

/** A service gets the type and crown status of the organisation it joins, and the corresponding allowance. */
export async function joinOrganisation(app: Deps, organisationId: string, serviceId: string): Promise<void> {
  const organisation = await getOrganisation(app.db, organisationId);
  await inTransaction(app.db, async (tx) => {
    const service = await lockService(tx, serviceId);
    if (!service) throw invalidField('service_id', 'No result found');
    const now = app.clock.now();
    const { organisation_type, crown } = organisation;
    const change = { organisation_id: organisation.id, organisation_type, crown };
    await updateServices(tx, [service.id], change, timestamp(now));
    await app.allowances.reset(app.country, tx, service.id, now);
  });
}

/** Also updates its services: all get a new type or crown status, and those without a brand get a new default one. */
export async function updateOrganisationAndServices(
  app: ReceiptDeps,
  organisationId: string,
  request: OrganisationChange & { domains?: string[] },
): Promise<void> {
  // Existing front ends rely on this: a request with permissions ignores all other fields.
  const change = request.permissions ? { permissions: request.permissions } : inCountry(app, request);
  await inTransaction(app.db, async (tx) => {
    const now = app.clock.now();
    await updateOrganisation(tx, organisationId, change, now);
    if (change.email_branding_id) await addDefaultToPool(tx, 'email', organisationId, change.email_branding_id);
    if (change.letter_branding_id) await addDefaultToPool(tx, 'letter', organisationId, change.letter_branding_id);
    await followOrganisation(app, tx, organisationId, change, now);
    if (change.agreement_signed && change.agreement_signed_by_id) {
      await sendAgreementReceipts(app, tx, organisationId, change.agreement_signed_by_id);
    }
  });
}

function inCountry<T extends OrganisationChange>({ country }: Deps, change: T): T {
  const { organisation_type, crown } = change;
  return {
    ...change,
    ...(organisation_type !== undefined && { organisation_type: toOrganisationType(country, organisation_type) }),
    ...(crown !== undefined && !hasCrownBodies(country) && { crown: false }),
  };
}

async function followOrganisation(
  app: Deps,
  tx: Tx,
  organisationId: string,
  change: OrganisationChange,
  now: Date,
): Promise<void> {
  const { organisation_type, crown, email_branding_id, letter_branding_id } = change;
  if (organisation_type === undefined && crown === undefined && !email_branding_id && !letter_branding_id) return;
  const services = await lockServicesOfOrganisation(tx, organisationId);
  for (const lacksEmail of [true, false]) {
    for (const lacksLetter of [true, false]) {
      const alike = services.filter(
        (service) =>
          (service.email_branding_id === null) === lacksEmail && (service.letter_branding_id === null) === lacksLetter,
      );
      const follows = {
        organisation_type,
        crown,
        email_branding_id: (lacksEmail && email_branding_id) || undefined,
        letter_branding_id: (lacksLetter && letter_branding_id) || undefined,
      };
      if (Object.values(follows).every((value) => value === undefined)) continue;
      const ids = alike.map(({ id }) => id);
      await updateServices(tx, ids, follows, timestamp(now));
    }
  }
  if (organisation_type === undefined) return;
  for (const { id } of services) await app.allowances.reset(app.country, tx, id, now);
}

/** Sends receipts to the signer and to the person on whose behalf they signed, if any. */
async function sendAgreementReceipts(app: ReceiptDeps, tx: Tx, organisationId: string, signerId: string) {
  const organisation = await getOrganisation(tx, organisationId);
  const signer = await getUserRecord(tx, signerId);
  const other = organisation.agreement_signed_on_behalf_of_email_address;
  if (other && !parseEmailAddress(other).ok) {
    throw invalidField('agreement_signed_on_behalf_of_email_address', refusedEmailAddress);
  }
  const base = app.config.urls.admin;
  const personalisation = {
    mou_link: pageUrl(base, `/agreement/${organisation.crown ? 'crown' : 'non-crown'}.pdf`),
    org_name: organisation.name,
    org_dashboard_link: pageUrl(base, `/organisations/${organisation.id}`),
    signed_by_name: signer.name,
    on_behalf_of_name: organisation.agreement_signed_on_behalf_of_name || other || '',
  };
  const { agreementSigned, agreementSignedForOther, agreementSignedByOther } = accountTemplates;
  if (other) {
    await app.accountMessages.send(tx, { template_id: agreementSignedByOther, to: other, personalisation });
  }
  await app.accountMessages.send(tx, {
    template_id: other ? agreementSignedForOther : agreementSigned,
    to: signer.email_address,
    personalisation,
  });
}
