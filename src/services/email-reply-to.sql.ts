import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { conflict, type Failure } from '../platform/failure.ts';

const columns = ['id', 'service_id', 'email_address', 'is_default', 'archived', 'created_at', 'updated_at'] as const;

export function alreadyThere(emailAddress: string): Failure {
  return conflict(`‘${emailAddress}’ is already a reply-to email address for this service.`);
}

export function selectReplyTos(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('service_email_reply_to')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .orderBy('is_default', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectReplyTo(db: Db | Tx, serviceId: string, id: string) {
  return db
    .selectFrom('service_email_reply_to')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .where('archived', '=', false)
    .executeTakeFirst();
}

export function insertReplyTo(
  tx: Tx,
  row: { id: string; service_id: string; email_address: string; is_default: boolean; created_at: Timestamp },
) {
  return withConstraints({ service_email_reply_to_address_key: () => alreadyThere(row.email_address) }, () =>
    tx.insertInto('service_email_reply_to').values(row).returning(columns).executeTakeFirstOrThrow(),
  );
}

export function updateReplyToRow(
  tx: Tx,
  id: string,
  change: { email_address?: string; is_default?: boolean; archived?: boolean; updated_at: Timestamp },
) {
  return withConstraints({ service_email_reply_to_address_key: () => alreadyThere(change.email_address ?? '') }, () =>
    tx
      .updateTable('service_email_reply_to')
      .set(change)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow(),
  );
}

export async function clearDefaultReplyTo(tx: Tx, serviceId: string, now: Timestamp): Promise<void> {
  await tx
    .updateTable('service_email_reply_to')
    .set({ is_default: false, updated_at: now })
    .where('service_id', '=', serviceId)
    .where('is_default', '=', true)
    .execute();
}
