import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import type { KeyType } from '../protocol/key-types.ts';

/** Selects only the service created by the platform user, because another service may have the same name. */
export function selectDemoService(db: Db, name: string, createdBy: string) {
  return db
    .selectFrom('services')
    .select('id')
    .where('name', '=', name)
    .where('created_by_id', '=', createdBy)
    .where('active', '=', true)
    .executeTakeFirst();
}

export interface DemoKey {
  id: string;
  service_id: string;
  name: string;
}

/** Selects the demo's keys that are not revoked, even if its service was renamed. */
export async function selectDemoKeys(db: Db, createdBy: string, type: KeyType): Promise<DemoKey[]> {
  const { rows } = await sql<DemoKey>`
    select id, service_id, name from api_keys
    where created_by_id = ${createdBy} and key_type = ${type} and name ~ '^demo(-[0-9]+)?$' and expiry_date is null
    order by id`.execute(db);
  return rows;
}

/** Selects a key's messages that were not handed over to a provider or printer yet. Each part of the `or` has an index. */
export async function selectUnsentOfKey(tx: Tx, { service_id, id }: DemoKey, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from notifications
    where service_id = ${service_id} and (job_id is null or job_id is not null) and api_key_id = ${id}
      and status in ('created', 'pending-virus-check')
    limit ${max}`.execute(tx);
  return rows.map((row) => row.id);
}
