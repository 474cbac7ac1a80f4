import { sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';

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
}

/** Without a lock; the update checks the status again under its lock. */
export async function selectTargets(db: Db | Tx, ids: string[]): Promise<ReceiptTarget[]> {
  const { rows } = await sql<ReceiptTarget>`/* prepared: receipt-targets */
    select id, service_id, notification_type, status, provider, international, normalised_recipient, client_reference,
      recipient,
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
