import type { Db } from '../platform/db/database.ts';
import { selectOrganisationIdByDomains } from './organisations.sql.ts';

/** Finds the organisation that owns the domain of an address or one of its parent domains; the longest match wins. */
export function findOrganisationIdByEmailAddress(db: Db, emailAddress: string): Promise<string | undefined> {
  const [, domain = ''] = emailAddress.toLowerCase().split('@');
  return findOrganisationIdByDomain(db, domain);
}

export async function findOrganisationIdByDomain(db: Db, domain: string): Promise<string | undefined> {
  // Government Secure Intranet domains map to the same organisations as the public domains.
  const labels = domain.toLowerCase().replace('.gsi.gov.uk', '.gov.uk').split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  return (await selectOrganisationIdByDomains(db, domains))?.organisation_id;
}
