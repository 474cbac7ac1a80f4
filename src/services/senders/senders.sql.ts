import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { idInUse } from '../../auth/imported.ts';
import { t } from '../../language/text.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
import { conflict, type Failure } from '../../platform/failure.ts';

/** A service can have several senders per message type, at most one of them the default. */
export type SenderTable = 'service_sms_senders' | 'service_email_reply_to' | 'service_letter_contacts';

export type SenderRow<T extends SenderTable> = Selectable<DB[T]>;

export async function selectSenders<T extends SenderTable>(
  db: Db,
  table: T,
  serviceId: string,
): Promise<SenderRow<T>[]> {
  const found = await sql<SenderRow<T>>`
    select * from ${sql.table(table)} where service_id = ${serviceId} and not archived
    order by is_default desc, created_at, id`.execute(db);
  return found.rows;
}

export async function selectSender<T extends SenderTable>(
  db: Db,
  table: T,
  serviceId: string,
  id: string,
): Promise<SenderRow<T> | undefined> {
  const found = await sql<SenderRow<T>>`
    select * from ${sql.table(table)} where service_id = ${serviceId} and id = ${id} and not archived`.execute(db);
  return found.rows[0];
}

export async function clearDefault(tx: Tx, table: SenderTable, serviceId: string, now: Timestamp): Promise<void> {
  await sql`
    update ${sql.table(table)} set is_default = false, updated_at = ${now}
    where service_id = ${serviceId} and is_default`.execute(tx);
}

// Kysely cannot infer columns when the table is a type parameter, so the signatures declare them.
export function insertSender<T extends SenderTable>(tx: Tx, table: T, row: Insertable<DB[T]>): Promise<SenderRow<T>> {
  return withConstraints(constraintsOn(row), () =>
    tx
      .insertInto(table as SenderTable)
      .values(row as never)
      .returningAll()
      .executeTakeFirstOrThrow(),
  ) as Promise<SenderRow<T>>;
}

export function updateSender<T extends SenderTable>(
  tx: Tx,
  table: T,
  id: string,
  change: Updateable<DB[T]>,
): Promise<SenderRow<T>> {
  return withConstraints(constraintsOn(change), () =>
    tx
      .updateTable(table as SenderTable)
      .set(change as never)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  ) as Promise<SenderRow<T>>;
}

export function archiveSender<T extends SenderTable>(tx: Tx, table: T, id: string, now: Timestamp) {
  return tx
    .updateTable(table as SenderTable)
    .set({ archived: true, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow() as Promise<SenderRow<T>>;
}

function constraintsOn({ email_address = '' }: { email_address?: string }) {
  return {
    service_email_reply_to_address_key: () => replyToExists(email_address),
    service_email_reply_to_pkey: idInUse,
    service_sms_senders_pkey: idInUse,
  };
}

export function replyToExists(emailAddress: string): Failure {
  return conflict(t('‘{emailAddress}’ is already a reply-to email address for this service.', { emailAddress }));
}
