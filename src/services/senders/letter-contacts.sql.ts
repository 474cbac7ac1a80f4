import type { Insertable, Updateable } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceLetterContacts } from '../../platform/db/schema.ts';

export function insertLetterContact(tx: Tx, row: Insertable<ServiceLetterContacts>) {
  return tx.insertInto('service_letter_contacts').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateLetterContactRow(tx: Tx, id: string, change: Updateable<ServiceLetterContacts>) {
  return tx
    .updateTable('service_letter_contacts')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
