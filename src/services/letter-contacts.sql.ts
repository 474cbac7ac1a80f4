import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

const columns = ['id', 'service_id', 'contact_block', 'is_default', 'archived', 'created_at', 'updated_at'] as const;

export function selectLetterContacts(db: Db, serviceId: string) {
  return db
    .selectFrom('service_letter_contacts')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .orderBy('is_default', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectLetterContact(db: Db | Tx, serviceId: string, id: string) {
  return db
    .selectFrom('service_letter_contacts')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .where('archived', '=', false)
    .executeTakeFirst();
}

export function insertLetterContact(
  tx: Tx,
  row: { id: string; service_id: string; contact_block: string; is_default: boolean; created_at: Timestamp },
) {
  return tx.insertInto('service_letter_contacts').values(row).returning(columns).executeTakeFirstOrThrow();
}

export function updateLetterContactRow(
  tx: Tx,
  id: string,
  change: { contact_block?: string; is_default?: boolean; archived?: boolean; updated_at: Timestamp },
) {
  return tx
    .updateTable('service_letter_contacts')
    .set(change)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function clearDefaultLetterContact(tx: Tx, serviceId: string, now: Timestamp): Promise<void> {
  await tx
    .updateTable('service_letter_contacts')
    .set({ is_default: false, updated_at: now })
    .where('service_id', '=', serviceId)
    .where('is_default', '=', true)
    .execute();
}
