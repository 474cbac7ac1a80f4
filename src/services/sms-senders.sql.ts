import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export interface SmsSenderRow {
  id: string;
  service_id: string;
  sms_sender: string;
  is_default: boolean;
  inbound_number_id?: string | null;
  created_at: Timestamp;
}

const columns = [
  'id',
  'sms_sender',
  'service_id',
  'is_default',
  'archived',
  'inbound_number_id',
  'created_at',
  'updated_at',
] as const;

export function selectSmsSenders(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('service_sms_senders')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .orderBy('is_default', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectSmsSender(db: Db | Tx, serviceId: string, id: string) {
  return db
    .selectFrom('service_sms_senders')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .where('archived', '=', false)
    .executeTakeFirst();
}

export function insertSmsSender(tx: Tx, row: SmsSenderRow) {
  return tx.insertInto('service_sms_senders').values(row).returning(columns).executeTakeFirstOrThrow();
}

export function updateSmsSenderRow(
  tx: Tx,
  id: string,
  change: {
    sms_sender?: string;
    is_default?: boolean;
    archived?: boolean;
    inbound_number_id?: string | null;
    updated_at: Timestamp;
  },
) {
  return tx
    .updateTable('service_sms_senders')
    .set(change)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function clearDefaultSmsSender(tx: Tx, serviceId: string, now: Timestamp): Promise<void> {
  await tx
    .updateTable('service_sms_senders')
    .set({ is_default: false, updated_at: now })
    .where('service_id', '=', serviceId)
    .where('is_default', '=', true)
    .execute();
}
