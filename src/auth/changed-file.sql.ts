import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** As the triggers: nothing is recorded where nobody acts. */
export async function insertChangedFile(tx: Tx, noun: string, thingId: string, field: string): Promise<void> {
  const after = JSON.stringify({ [field]: '[not recorded]' });
  await sql`
    select add_audit_entry('update', ${noun}, ${thingId}, null, null, null, ${after}::jsonb)
    where coalesce(current_setting('pennypost.actor', true), '') <> ''`.execute(tx);
}
