import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';

const sweep = 'time-outs';

/** How far the sweep has come; undefined while another process sweeps. */
export async function lockSweep(tx: Tx, earliest: Timestamp): Promise<Timestamp | undefined> {
  const { rows } = await sql<{ swept_until: Timestamp }>`
    select greatest(swept_until, ${earliest}::timestamptz) as swept_until from delivery_sweeps
    where name = ${sweep} for update skip locked`.execute(tx);
  return rows[0]?.swept_until;
}

export async function updateSweep(tx: Tx, swept_until: Timestamp): Promise<void> {
  await tx.updateTable('delivery_sweeps').set({ swept_until }).where('name', '=', sweep).execute();
}

/** Text messages and emails of a range of ids, which is a range of time, that no receipt has ended. */
export async function selectWithoutReceipt(tx: Tx, fromId: string, beforeId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('notifications')
    .select('id')
    .where('id', '>=', fromId)
    .where('id', '<', beforeId)
    .where('status', 'in', ['sending', 'pending'])
    .where('notification_type', 'in', ['sms', 'email'])
    .execute();
  return rows.map(({ id }) => id);
}
