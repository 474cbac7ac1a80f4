import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { DB } from '../platform/db/schema.ts';

/** An entry for an event that no trigger records. It contains no recipients and no personalisation. */
export interface NewAuditEntry {
  action: DB['audit_log']['action'];
  noun: string;
  thing_id: string;
  service_id?: string | undefined;
  before?: object;
  after?: object;
}

export async function insertAuditEntry(tx: Tx, entry: NewAuditEntry, actor: string): Promise<void> {
  const { action, noun, thing_id, service_id = null, before = null, after = null } = entry;
  const json = (value: object | null) => (value ? JSON.stringify(value) : null);
  await sql`
    with actor as materialized (select set_config('pennypost.actor', ${actor}, true))
    select add_audit_entry(
      ${action}, ${noun}, ${thing_id}, ${service_id}::uuid, null, ${json(before)}::jsonb, ${json(after)}::jsonb)
    from actor`.execute(tx);
}
