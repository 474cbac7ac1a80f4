import type { Insertable, Updateable } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { ServiceEmailReplyTo } from '../../platform/db/schema.ts';
import { conflict, type Failure } from '../../platform/failure.ts';

export function alreadyExists(emailAddress: string): Failure {
  return conflict(`‘${emailAddress}’ is already a reply-to email address for this service.`);
}

export function insertReplyTo(tx: Tx, row: Insertable<ServiceEmailReplyTo>) {
  return withConstraints({ service_email_reply_to_address_key: () => alreadyExists(row.email_address) }, () =>
    tx.insertInto('service_email_reply_to').values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export function updateReplyToRow(tx: Tx, id: string, change: Updateable<ServiceEmailReplyTo>) {
  return withConstraints({ service_email_reply_to_address_key: () => alreadyExists(change.email_address ?? '') }, () =>
    tx.updateTable('service_email_reply_to').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  );
}
