import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { type DomainOwner, sameOwner } from '../sending-domains.sql.ts';

/** Selects active people: the members of a service, those of an organisation who manage its services, or platform administrators. */
export async function selectManagersOf(tx: Tx, owner: DomainOwner) {
  const { scope, service_id, organisation_id } = sameOwner(owner);
  const { rows } = await sql<{ name: string; email_address: string; permissions: string[] }>`
    select u.name, u.email_address, coalesce(m.permissions, '{}') as permissions
    from users u left join service_members m on m.user_id = u.id and m.service_id = ${service_id}::uuid
    where u.state = 'active' and case ${scope}::text
      when 'service' then m.user_id is not null
      when 'organisation' then u.id in (
        select user_id from organisation_members where organisation_id = ${organisation_id}::uuid
        intersect
        select user_id from organisation_permissions
        where organisation_id = ${organisation_id}::uuid and permission = 'can_make_services_live')
      else u.platform_admin end
    order by u.created_at, u.id`.execute(tx);
  return rows;
}
