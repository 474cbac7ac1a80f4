import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AuditFilter } from './audit-entry.ts';

type Fields = Record<string, unknown>;

/** Selects entries, newest first. */
export function selectAuditEntries(db: Db, filter: AuditFilter, limit: number) {
  const { id, person_id, thing_id, service_id, noun, action, after, before, older_than } = filter;
  let query = db
    .selectFrom('audit_log as entry')
    .leftJoin('users as person', 'person.id', 'entry.user_id')
    .leftJoin('users as claimed', 'claimed.id', 'entry.claimed_user_id')
    .leftJoin('services as service', 'service.id', 'entry.service_id')
    .selectAll('entry')
    .$narrowType<{ before: Fields | null; after: Fields | null }>()
    .select([
      'person.name as user_name',
      'person.email_address as user_email_address',
      'claimed.name as claimed_user_name',
      'service.name as service_name',
    ])
    .orderBy('entry.created_at', 'desc')
    .orderBy('entry.id', 'desc')
    .limit(limit);
  if (id !== undefined) query = query.where('entry.id', '=', id);
  if (person_id !== undefined) {
    query = query.where((row) =>
      row.or([row('entry.user_id', '=', person_id), row('entry.claimed_user_id', '=', person_id)]),
    );
  }
  if (thing_id !== undefined) query = query.where('entry.thing_id', '=', thing_id);
  if (service_id !== undefined) query = query.where('entry.service_id', '=', service_id);
  if (noun !== undefined) query = query.where('entry.noun', '=', noun);
  if (action !== undefined) query = query.where('entry.action', '=', action);
  if (after !== undefined) query = query.where('entry.created_at', '>=', after);
  if (before !== undefined) query = query.where('entry.created_at', '<', before);
  if (older_than !== undefined) {
    const last = sql`(${older_than.created_at}::timestamptz, ${older_than.id}::uuid)`;
    query = query.where(sql<boolean>`(entry.created_at, entry.id) < ${last}`);
  }
  return query.execute();
}

/** Returns the number of deleted entries. The database refuses to delete entries of the last 30 days. */
export async function deleteAuditEntries(db: Db, before: Timestamp, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select delete_old_audit_entries(${before}::timestamptz, ${limit}) as deleted`.execute(db);
  return rows[0]?.deleted ?? 0;
}
