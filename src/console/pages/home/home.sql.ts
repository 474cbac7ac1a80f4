import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface SetUpProgress {
  has_template: boolean;
  has_team: boolean;
  has_key: boolean;
}

/** Selects what a service has already set up. Each subquery reads one or two rows. */
export async function selectSetUpProgress(db: Db, serviceId: string): Promise<SetUpProgress> {
  const { rows } = await sql<SetUpProgress>`select
    exists (select from templates where service_id = ${serviceId} and not archived) as has_template,
    exists (select from service_members where service_id = ${serviceId} offset 1)
      or exists (select from service_invites where service_id = ${serviceId}) as has_team,
    exists (select from api_keys where service_id = ${serviceId}) as has_key`.execute(db);
  return rows[0] ?? { has_template: false, has_team: false, has_key: false };
}
