import type { InboundText } from '../../inbound/inbound-texts.ts';
import {
  listReturnedLettersById,
  type ReturnedLetter,
  type ReturnedLettersTask,
} from '../../letters/returned/returned-letters.ts';
import type { PlanMessageChange } from '../../plans/message-callback.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { type CallbackType, tokenPurpose } from '../../services/settings/callback-api.ts';
import {
  insertCallbacks,
  insertFailureCallbacks,
  replaceCopiedTokens,
  selectCopiedTokens,
  selectTargets,
} from './service-callbacks.sql.ts';

/** Each stored callback has its own copy of the token, so rotating the key must re-encrypt these too. */
export const copiedCallbackTokens: EncryptedValues = {
  name: 'tokens of calls to services',
  purpose: tokenPurpose,
  select: selectCopiedTokens,
  replace: replaceCopiedTokens,
};

interface Event {
  service_id: string;
  /** The id of the notification, received text, or message with a channel plan. */
  subject_id: string;
  body: object | (() => object);
}

interface ComplaintCallback {
  service_id: string;
  notification_id: string;
  complaint_id: string;
  reference: string | null;
  to: string;
  complaint_date: string | null;
}

export async function createComplaintCallback(tx: Tx, complaint: ComplaintCallback, now: Date): Promise<void> {
  const { service_id, ...body } = complaint;
  await insertCallbacksFor(tx, 'complaint', [{ service_id, subject_id: complaint.notification_id, body }], now);
}

export async function createInboundTextCallback(tx: Tx, text: InboundText, now: Date): Promise<void> {
  const body = {
    id: text.id,
    source_number: text.user_number,
    destination_number: text.notify_number,
    message: text.content,
    date_received: text.provider_date ?? text.created_at,
    ...(text.keyword !== null && text.keyword_action !== 'review' ? { keyword: text.keyword } : {}),
  };
  await insertCallbacksFor(tx, 'inbound_sms', [{ service_id: text.service_id, subject_id: text.id, body }], now);
}

/** The template is omitted from the body for an uploaded letter, because its template is hidden. */
async function createReturnedLetterCallback(tx: Tx, letter: ReturnedLetter, now: Date): Promise<void> {
  const { service_id, notification_id, api_key_id, precompiled } = letter;
  const body = {
    notification_id: letter.shown_id,
    reference: api_key_id ? letter.client_reference : null,
    date_sent: letter.letter_created_at,
    sent_by: letter.email_address ?? 'API',
    template_name: precompiled ? null : letter.template_name,
    template_id: precompiled ? null : letter.template_id,
    template_version: precompiled ? null : letter.template_version,
    spreadsheet_file_name: letter.original_file_name,
    spreadsheet_row_number: letter.spreadsheet_row_number,
    upload_letter_file_name: precompiled && !api_key_id ? letter.client_reference : null,
  };
  await insertCallbacksFor(tx, 'returned_letter', [{ service_id, subject_id: notification_id, body }], now);
}

export async function createPlanMessageCallback(
  tx: Tx,
  { service_id, message_id: subject_id, body }: PlanMessageChange,
  now: Date,
): Promise<void> {
  await insertCallbacksFor(tx, 'message_status', [{ service_id, subject_id, body }], now);
}

/** For messages that failed before they reached delivery. Idempotent, because a task may run twice. */
export function storeFailureCallbacks(
  { db, clock }: Platform,
  { notification_ids }: { notification_ids: string[] },
): Promise<void> {
  return insertFailureCallbacks(db, notification_ids, clock.now());
}

/** Inserts callbacks for the services that configured this type. */
async function insertCallbacksFor(tx: Tx, type: CallbackType, events: Event[], now: Date): Promise<void> {
  if (events.length === 0) return;
  const services = [...new Set(events.map(({ service_id }) => service_id))];
  const targets = new Map((await selectTargets(tx, type, services)).map((target) => [target.service_id, target]));
  const rows = events.flatMap(({ service_id, subject_id, body }) => {
    const target = targets.get(service_id);
    if (!target) return [];
    return {
      ...target,
      id: newId(now),
      callback_type: type,
      subject_id,
      body: JSON.stringify(typeof body === 'function' ? body() : body),
      due_at: timestamp(now),
      created_at: timestamp(now),
    };
  });
  if (rows.length > 0) await insertCallbacks(tx, rows);
}

export function createReturnedLetterCallbacks(app: Platform, { notification_ids }: ReturnedLettersTask): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const letters = await listReturnedLettersById(tx, notification_ids);
    for (const letter of letters) await createReturnedLetterCallback(tx, letter, app.clock.now());
  });
}
