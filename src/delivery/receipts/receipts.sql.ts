import { sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';

export interface ReceiptTarget {
  id: string;
  service_id: string;
  notification_type: Channel;
  status: Status;
  provider: string | null;
  /** The provider that has the message or is being called; null before the first attempt. */
  handed_to: string | null;
  international: boolean;
  normalised_recipient: string | null;
  client_reference: string | null;
  recipient: string;
  key_type: KeyType;
  created_at: Timestamp;
  sent_at: Timestamp | null;
}

/** Reads without a lock; the update checks the status again under its lock. */
export async function selectTargets(db: Db | Tx, ids: string[]): Promise<ReceiptTarget[]> {
  const { rows } = await sql<ReceiptTarget>`/* prepared: receipt-targets */
    select id, service_id, notification_type, status, provider, international, normalised_recipient, client_reference,
      recipient, key_type, created_at, sent_at,
      coalesce(provider, (select q.provider from delivery_queue q where q.notification_id = notifications.id)) as handed_to
    from notifications where id = any (${ids}::uuid[])`.execute(db);
  return rows;
}

export async function selectIdsByProviderReference(
  db: Db | Tx,
  references: string[],
): Promise<{ id: string; provider_reference: string }[]> {
  const { rows } = await sql<{ id: string; provider_reference: string }>`/* prepared: ids-by-provider-reference */
    select id, provider_reference from notifications
    where provider_reference = any (${references}::text[])
    order by id`.execute(db);
  return rows;
}

export interface MessagePart {
  reference: string;
  message_reference: string;
}

/** Idempotent: recording the same parts again keeps the receipts that have arrived. An id that the provider reuses is reset. */
export async function insertMessageParts(db: Db, parts: MessagePart[], sentAt: Timestamp): Promise<void> {
  await sql`/* prepared: insert-message-parts */
    insert into message_parts as known (reference, message_reference, sent_at)
    select distinct on (p.reference) p.reference, p.message_reference, ${sentAt}::timestamptz
    from json_to_recordset(${JSON.stringify(parts)}::json) as p (reference text, message_reference text)
    on conflict (reference) do update
      set message_reference = excluded.message_reference, sent_at = excluded.sent_at, delivered_at = null
      where known.message_reference <> excluded.message_reference`.execute(db);
}

export async function selectMessageParts(db: Db | Tx, references: string[]): Promise<MessagePart[]> {
  const { rows } = await sql<MessagePart>`/* prepared: message-parts */
    select reference, message_reference from message_parts where reference = any (${references}::text[])`.execute(db);
  return rows;
}

export async function updateDeliveredParts(db: Db | Tx, references: string[], now: Timestamp): Promise<void> {
  await sql`/* prepared: delivered-parts */
    update message_parts set delivered_at = ${now}
    where reference = any (${references}::text[]) and delivered_at is null`.execute(db);
}

/** Returns the messages that have an undelivered part. */
export async function selectIncomplete(db: Db | Tx, messages: string[]): Promise<string[]> {
  const { rows } = await sql<{ message_reference: string }>`/* prepared: incomplete-messages */
    select distinct message_reference from message_parts
    where message_reference = any (${messages}::text[]) and delivered_at is null`.execute(db);
  return rows.map(({ message_reference }) => message_reference);
}

export async function deletePartsBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('message_parts').where('sent_at', '<', moment).execute();
}
