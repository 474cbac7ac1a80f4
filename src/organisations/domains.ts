import type { Db } from '../platform/db/database.ts';
import { selectOrganisationIdByDomains } from './organisations.sql.ts';

/** The organisation that owns the domain of an address, or a domain above it; the longest one wins. */
export function findOrganisationIdByEmailAddress(db: Db, emailAddress: string): Promise<string | undefined> {
  const [, domain = ''] = emailAddress.toLowerCase().split('@');
  return findOrganisationIdByDomain(db, domain);
}

export async function findOrganisationIdByDomain(db: Db, domain: string): Promise<string | undefined> {
  // The secure intranet's addresses belong to the same bodies as their public ones.
  const labels = domain.toLowerCase().replace('.gsi.gov.uk', '.gov.uk').split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  return (await selectOrganisationIdByDomains(db, domains))?.organisation_id;
}
