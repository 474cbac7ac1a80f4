import { forApi, t } from '../language/text.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { hasCrownBodies, type OrganisationType, toOrganisationType } from './organisation-types.ts';
import {
  insertOrganisation,
  lockOrganisation,
  replaceDomains,
  selectActiveOrganisations,
  selectArchiveBlockers,
  selectOrganisation,
  selectOrganisationIdByDomains,
  selectOrganisationIdOfService,
  selectOrganisationPage,
  selectOrganisations,
  updateOrganisationRow,
} from './organisations.sql.ts';

interface Agreement {
  agreement_signed?: boolean | null;
  agreement_signed_at?: string | null;
  agreement_signed_by_id?: string | null;
  agreement_signed_on_behalf_of_name?: string | null;
  agreement_signed_on_behalf_of_email_address?: string | null;
  agreement_signed_version?: number | string | null;
}

/** Fields that can be updated; omitted fields keep their values. */
export interface OrganisationChange extends Agreement {
  name?: string;
  crown?: boolean | null;
  organisation_type?: OrganisationType | null;
  email_branding_id?: string | null;
  letter_branding_id?: string | null;
  request_to_go_live_notes?: string | null;
  notes?: string | null;
  purchase_order_number?: string | null;
  billing_contact_names?: string | null;
  billing_contact_email_addresses?: string | null;
  billing_reference?: string | null;
  email_annual_limit?: number | null;
  sms_annual_limit?: number | null;
  letter_annual_limit?: number | null;
  can_approve_own_go_live_requests?: boolean;
  permissions?: string[];
}

export type Organisation = NonNullable<Awaited<ReturnType<typeof selectOrganisation>>>;

export async function getOrganisation(db: Db | Tx, id: string): Promise<Organisation> {
  const organisation = await selectOrganisation(db, id);
  if (!organisation) throw notFound();
  return organisation;
}

export async function getOrganisationByDomain(db: Db, domain: string | undefined) {
  if (!domain) throw invalidField('domain', 'Missing data for required field.');
  if (domain.includes('@')) throw invalidField('domain', 'Not a valid domain.');
  const id = await findOrganisationIdByDomain(db, domain);
  if (id === undefined) throw notFound();
  return getOrganisation(db, id);
}

/** Returns undefined if the service has no organisation. */
export async function findOrganisationOfService(db: Db, serviceId: string) {
  const service = await selectOrganisationIdOfService(db, serviceId);
  if (!service) throw notFound();
  return service.organisation_id === null ? undefined : getOrganisation(db, service.organisation_id);
}

export async function findOrganisationsByName(db: Db, name: string | undefined) {
  if (!name) throw invalidField('name', 'Missing data for required field.');
  return selectOrganisations(db, name);
}

/** Bounded, because more do not fit into a list to choose from. */
export function listActiveOrganisations(db: Db) {
  return selectActiveOrganisations(db);
}

export function searchOrganisations(db: Db, page: { text: string; skip: number; limit: number }) {
  return selectOrganisationPage(db, page);
}

export async function createOrganisation(
  { db, clock, country }: Platform,
  request: Agreement & { name: string; crown: boolean; organisation_type: OrganisationType },
) {
  const now = clock.now();
  const id = newId(now);
  await insertOrganisation(db, {
    ...request,
    crown: request.crown && hasCrownBodies(country),
    organisation_type: toOrganisationType(country, request.organisation_type),
    id,
    created_at: timestamp(now),
  });
  return getOrganisation(db, id);
}

/** Locks the organisation until the transaction ends. */
export async function updateOrganisation(
  tx: Tx,
  id: string,
  request: OrganisationChange & { domains?: string[] },
  now: Date,
): Promise<void> {
  if (!(await lockOrganisation(tx, id, 'change'))) throw notFound();
  const { domains, ...change } = request;
  await updateOrganisationRow(tx, id, { ...change, updated_at: timestamp(now) });
  if (!domains) return;
  const names = domains.map((domain) => domain.toLowerCase());
  await replaceDomains(tx, id, names);
}

/** Sets the domain that the emails of its services come from, unless a service has its own. */
export async function setDomainOfOrganisation(tx: Tx, id: string, sending_domain_id: string, now: Date): Promise<void> {
  await updateOrganisationRow(tx, id, { sending_domain_id, updated_at: timestamp(now) });
}

const keepsServices = forApi(
  'Cannot archive an organisation with active services',
  t('Archive the services of the organisation, or move them to another, first.'),
);
const keepsMembers = forApi(
  'Cannot archive an organisation with team members or invited team members',
  t('Remove the members of the organisation, and cancel its invitations, first.'),
);

export async function archiveOrganisation({ db, clock }: Platform, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const organisation = await lockOrganisation(tx, id, 'archive');
    if (!organisation) throw notFound();
    const keeps = await selectArchiveBlockers(tx, id);
    if (keeps.active_services) throw invalid(keepsServices);
    if (keeps.members || keeps.invites) {
      throw invalid(keepsMembers);
    }
    if (!organisation.active) return;
    const now = clock.now();
    await replaceDomains(tx, id, []);
    await updateOrganisationRow(tx, id, {
      active: false,
      name: archivedName(organisation.name, now),
      email_branding_id: null,
      letter_branding_id: null,
      updated_at: timestamp(now),
    });
  });
}

/** Finds the organisation that owns the domain of an address or one of its parent domains. The longest match wins. */
export function findOrganisationIdByEmailAddress(db: Db, emailAddress: string): Promise<string | undefined> {
  const [, domain = ''] = emailAddress.toLowerCase().split('@');
  return findOrganisationIdByDomain(db, domain);
}

async function findOrganisationIdByDomain(db: Db, domain: string): Promise<string | undefined> {
  // Government Secure Intranet domains belong to the same organisations as the public domains.
  const labels = domain.toLowerCase().replace('.gsi.gov.uk', '.gov.uk').split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  return (await selectOrganisationIdByDomains(db, domains))?.organisation_id;
}
