import { getOrganisation } from '../organisations/organisations.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { forbidden } from '../platform/failure.ts';
import { getService } from '../services/services.ts';
import { manages } from '../users/members/permissions.ts';
import type { UserRecord } from '../users/user-record.ts';
import type { DomainOwner, DomainRow } from './sending-domains.sql.ts';
import type { DomainSettings } from './settings.ts';

type Settings = Pick<DomainSettings, 'mode'>;
type Person = Pick<UserRecord, 'platform_admin' | 'permissions' | 'organisation_permissions'>;

export function ownerOf({ scope, service_id, organisation_id }: DomainRow): DomainOwner {
  if (scope === 'service' && service_id !== null) return { scope, service_id };
  if (scope === 'organisation' && organisation_id !== null) return { scope, organisation_id };
  return { scope: 'installation' };
}

/** Whether a person may add and change the domains of an owner. */
export function mayChangeDomains({ mode }: Settings, person: Person, owner: DomainOwner): boolean {
  if (mode === 'off') return false;
  if (person.platform_admin) return true;
  if (mode !== 'services') return false;
  switch (owner.scope) {
    case 'service':
      return manages(person.permissions[owner.service_id] ?? []);
    case 'organisation':
      return (person.organisation_permissions[owner.organisation_id] ?? []).includes('can_make_services_live');
    case 'installation':
      return false;
  }
}

const refusals: Record<DomainOwner['scope'], string> = {
  service: 'Your service cannot add domains',
  organisation: 'Your organisation cannot add domains',
  installation: 'Only platform administrators can add domains of the installation',
};

export function refuseUnlessMayChange(settings: Settings, person: Person, owner: DomainOwner): void {
  if (!mayChangeDomains(settings, person, owner)) throw forbidden(refusals[owner.scope]);
}

/** Returns the display name of the owner. Throws if it does not exist. */
export async function nameOfOwner(db: Db | Tx, owner: DomainOwner): Promise<string> {
  switch (owner.scope) {
    case 'service':
      return (await getService(db as Db, owner.service_id)).name;
    case 'organisation':
      return (await getOrganisation(db, owner.organisation_id)).name;
    case 'installation':
      return 'this installation';
  }
}
