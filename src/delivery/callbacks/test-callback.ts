import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CallbackType } from '../../services/settings/callback-api.ts';
import { insertCallbacks, selectTargets } from './service-callbacks.sql.ts';

/** Sends an example to the URL of the service, as a callback like any other. It is about itself, so its id is its subject. */
export async function sendTestCallback(
  { db, clock }: Platform,
  serviceId: string,
  callback_type: CallbackType,
): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const at = timestamp(now);
  await inTransaction(db, async (tx) => {
    const [target] = await selectTargets(tx, callback_type, [serviceId]);
    if (!target) throw notFound();
    const body = JSON.stringify(examples[callback_type](id, at));
    await insertCallbacks(tx, [{ ...target, id, callback_type, subject_id: id, body, due_at: at, created_at: at }]);
    const entry = { action: 'create', noun: 'callback', thing_id: id, service_id: serviceId } as const;
    await recordAuditEntry(tx, { ...entry, after: { callback_type, status: 'waiting' } });
  });
  return id;
}

const reference = 'test call';
/** A number that belongs to nobody. */
const phoneNumber = '07700900000';

/** The bodies that receivers get, with values that no real message has. */
const examples: Record<CallbackType, (id: string, at: string) => object> = {
  delivery_status: (id, at) => ({
    ...{ id, reference, to: phoneNumber, status: 'delivered', created_at: at, completed_at: at, sent_at: at },
    ...{ notification_type: 'sms', template_id: id, template_version: 1 },
  }),
  complaint: (id, at) => ({
    ...{ notification_id: id, complaint_id: id, reference, to: 'test@example.org', complaint_date: at },
  }),
  inbound_sms: (id, at) => ({
    ...{ id, source_number: phoneNumber, destination_number: phoneNumber, message: 'Test call', date_received: at },
  }),
  returned_letter: (id, at) => ({
    ...{ notification_id: id, reference, date_sent: at, sent_by: 'API', template_name: 'Test call' },
    ...{ template_id: id, template_version: 1, spreadsheet_file_name: null, spreadsheet_row_number: null },
    ...{ upload_letter_file_name: null },
  }),
};
