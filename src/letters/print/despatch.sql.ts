import { type Insertable, sql } from 'kysely';
import type { Postage } from '../../notifications/notification.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { LetterDespatches } from '../../platform/db/schema.ts';
import { isHere } from '../../stores/service-stores.ts';

/** Whether this store has the letters that count: see `findHere`. */
export async function selectLettersHere(db: Db, ids: string[]): Promise<{ id: string; is_here: boolean }[]> {
  const { rows } = await sql<{ id: string; is_here: boolean }>`
    select id, ${isHere(sql`n.service_id`)} as is_here from notifications n where id = any (${ids}::uuid[])`.execute(
    db,
  );
  return rows;
}

export async function selectLettersToDespatch(tx: Tx, ids: string[]) {
  const rows = await tx
    .selectFrom('notifications')
    .select(['id', 'service_id', 'postage', 'billable_units'])
    .where('id', 'in', ids)
    .where('notification_type', '=', 'letter')
    .execute();
  return rows.map((row) => ({ ...row, postage: (row.postage ?? 'second') as Postage }));
}

export async function insertDespatches(tx: Tx, rows: Insertable<LetterDespatches>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('letter_despatches')
    .values(rows)
    .onConflict((conflict) => conflict.column('notification_id').doNothing())
    .execute();
}
