import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';

export interface NewRefusedRequest {
  id: string;
  service_id: string;
  api_key_id: string;
  path: string;
  status_code: number;
  errors: { error: string; message: string }[];
  template_id: string | null;
  fields: string[];
  personalisation_fields: string[];
  created_at: Timestamp;
}

/** Inserts the rows and keeps only the newest of each service. */
export async function insertRefusedRequests(db: Db, rows: NewRefusedRequest[], keptPerService: number): Promise<void> {
  await sql`
    insert into refused_requests
    select r.id, r.service_id, r.api_key_id, r.path, r.status_code, r.errors, r.template_id,
      array(select json_array_elements_text(r.fields)), array(select json_array_elements_text(r.personalisation_fields)),
      r.created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, service_id uuid, api_key_id uuid, path text,
      status_code smallint, errors jsonb, template_id uuid, fields json, personalisation_fields json,
      created_at timestamptz)
    order by r.id`.execute(db);
  const services = [...new Set(rows.map(({ service_id }) => service_id))];
  await sql`
    delete from refused_requests r
    using (
      select service_id, (
        select id from refused_requests where service_id = s.service_id order by id desc offset ${keptPerService} limit 1
      ) as last
      from unnest(${services}::uuid[]) as s (service_id)
    ) as old
    where r.service_id = old.service_id and r.id <= old.last`.execute(db);
}

export function selectRefusedRequests(db: Db, serviceId: string, page: { size: number; older_than?: string }) {
  return db
    .selectFrom('refused_requests')
    .leftJoin('api_keys', 'api_keys.id', 'refused_requests.api_key_id')
    .select([
      'refused_requests.id',
      'refused_requests.api_key_id',
      'api_keys.name as api_key_name',
      'path',
      'status_code',
      'errors',
      'template_id',
      'fields',
      'personalisation_fields',
      'refused_requests.created_at',
    ])
    .where('refused_requests.service_id', '=', serviceId)
    .$if(page.older_than !== undefined, (query) => query.where('refused_requests.id', '<', page.older_than ?? ''))
    .orderBy('refused_requests.id', 'desc')
    .limit(page.size)
    .execute();
}

/** Ids are time-ordered. */
export async function deleteRefusedRequestsBefore(db: Db, id: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from refused_requests where id in (
      select id from refused_requests where id < ${id} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
