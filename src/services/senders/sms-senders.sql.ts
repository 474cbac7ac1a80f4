import type { Insertable, Updateable } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceSmsSenders } from '../../platform/db/schema.ts';

export function insertSmsSender(tx: Tx, row: Insertable<ServiceSmsSenders>) {
  return tx.insertInto('service_sms_senders').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateSmsSenderRow(tx: Tx, id: string, change: Updateable<ServiceSmsSenders>) {
  return tx
    .updateTable('service_sms_senders')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
