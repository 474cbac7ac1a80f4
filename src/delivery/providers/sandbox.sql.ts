import { sql } from 'kysely';
import type { NotificationType } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

export interface SandboxMessage {
  reference: string;
  notification_type: NotificationType;
  recipient: string;
  sender: string;
  subject: string | null;
  body: string;
  created_at: Timestamp;
  receipt_due_at: Timestamp | null;
}

export async function insertSandboxMessages(db: Db, messages: SandboxMessage[]): Promise<void> {
  await sql`/* prepared: insert-sandbox-messages */
    insert into sandbox_messages as known
      (reference, notification_type, recipient, sender, subject, body, created_at, receipt_due_at)
    select * from json_to_recordset(${JSON.stringify(messages)}::json) as m (reference uuid, notification_type text,
      recipient text, sender text, subject text, body text, created_at timestamptz, receipt_due_at timestamptz)
    on conflict (reference) do update set times_sent = known.times_sent + 1`.execute(db);
}

export async function selectSandboxReferences(db: Db, references: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('sandbox_messages')
    .select('reference')
    .where('reference', 'in', references)
    .execute();
  return rows.map(({ reference }) => reference);
}

interface OwedReceipt {
  reference: string;
  notification_type: NotificationType;
  recipient: string;
}

/**
 * Receipts that are due; they count as given when the transaction commits. A real provider's receipt may come before we
 * have recorded the hand-over; ours need not make that hard on itself.
 */
export async function takeOwedReceipts(tx: Tx, now: Timestamp, most: number): Promise<OwedReceipt[]> {
  const { rows } = await sql<OwedReceipt>`/* prepared: sandbox-receipts */
    with due as (
      select m.reference from sandbox_messages m left join notifications n on n.id = m.reference
      where m.receipt_due_at <= ${now} and n.status is distinct from 'created'
      order by m.receipt_due_at limit ${most}::int for update of m skip locked
    )
    update sandbox_messages m set receipt_due_at = null from due where m.reference = due.reference
    returning m.reference, m.notification_type, m.recipient`.execute(tx);
  return rows;
}

/** Messages of the hidden service are not among them. */
export function selectLatestSandboxMessages(db: Db, most: number, hiddenService: string | undefined) {
  return (
    sandboxMessages(db, hiddenService)
      .select([
        'sandbox_messages.reference',
        'sandbox_messages.notification_type',
        'sandbox_messages.recipient',
        'sandbox_messages.sender',
        'sandbox_messages.subject',
        'sandbox_messages.body',
        'sandbox_messages.created_at',
        'notifications.status',
      ])
      // Ids ascend with time.
      .orderBy('sandbox_messages.reference', 'desc')
      .limit(most)
      .execute()
  );
}

export function selectSandboxMessage(db: Db, reference: string, hiddenService: string | undefined) {
  return sandboxMessages(db, hiddenService)
    .select('sandbox_messages.reference')
    .where('sandbox_messages.reference', '=', reference)
    .executeTakeFirst();
}

function sandboxMessages(db: Db, hiddenService: string | undefined) {
  return db
    .selectFrom('sandbox_messages')
    .innerJoin('notifications', 'notifications.id', 'sandbox_messages.reference')
    .$if(hiddenService !== undefined, (query) => query.where('notifications.service_id', '!=', hiddenService ?? ''));
}

export async function deleteSandboxMessagesBefore(db: Db, firstKept: string): Promise<void> {
  await db.deleteFrom('sandbox_messages').where('reference', '<', firstKept).execute();
}
