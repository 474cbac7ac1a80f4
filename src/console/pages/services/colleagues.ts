import { findOrganisationIdByEmailAddress, getOrganisation } from '../../../organisations/organisations.ts';
import type { Platform } from '../../../platform/platform.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import { listServicesOfOrganisation } from '../../../services/organisations/organisation-services.ts';
import { holds } from '../../access/may.ts';
import type { Visitor } from '../../sessions/visitor.ts';

/** Services of the visitor's organisations that one may ask to join, if the organisation allows asking. */
export async function listServicesToJoin(
  { db }: Platform,
  { email_address, organisations, services }: Visitor['user'],
) {
  const ofDomain = await findOrganisationIdByEmailAddress(db, email_address);
  const ids = [...new Set([...(ofDomain === undefined ? [] : [ofDomain]), ...organisations])];
  const found = await Promise.all(
    ids.map(async (id) => {
      const organisation = await getOrganisation(db, id);
      if (!organisation.active || !organisation.permissions.includes('can_ask_to_join_a_service')) return [];
      const all = await listServicesOfOrganisation(db, id);
      return all.filter((service) => service.active && !services.includes(service.id));
    }),
  );
  return found.flat();
}

/** Those who can let a person in. */
export async function listManagers({ db }: Platform, serviceId: string) {
  const members = await listServiceMembers(db, serviceId);
  return members.filter(({ state, permissions }) => state === 'active' && holds('manage', permissions));
}
