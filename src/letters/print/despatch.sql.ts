import type { Insertable } from 'kysely';
import type { Postage } from '../../notifications/notification.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { LetterDespatches } from '../../platform/db/schema.ts';

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
