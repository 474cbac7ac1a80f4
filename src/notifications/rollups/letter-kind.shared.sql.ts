import { sql } from 'kysely';
import { postageBySlot, postageSlots } from '../../countries/postage.ts';
import type { PostageClass } from '../../countries/profile.ts';
import type { Tx } from '../../platform/db/database.ts';

/**
 * Replaces the database function that maps a letter to its slot in usage counts. Views and totals use it, so it must be immutable and
 * contains the classes as literals. The factor is that of the totals, whatever the number of classes. An unknown class is an error: under
 * another slot, its letters would be billed at the wrong price.
 */
export async function recreateLetterKind(tx: Tx, classes: readonly Pick<PostageClass, 'id' | 'slot'>[]): Promise<void> {
  const bySlot = sql.join(postageBySlot(classes).map((id) => (id === null ? sql`null` : sql.lit(id))));
  await sql`
    create or replace function letter_kind(postage text, sheets integer) returns integer
    language sql immutable parallel safe
    return ${sql.lit(postageSlots)} * least(sheets, 6)
      + coalesce(array_position(array[${bySlot}]::text[], postage), unknown_postage(postage))`.execute(tx);
}
