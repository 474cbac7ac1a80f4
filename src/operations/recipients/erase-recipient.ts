import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { eraseComplaints } from '../../complaints/complaints.ts';
import { eraseCallbacks } from '../../delivery/callbacks/callback-history.ts';
import { eraseSandboxMessages } from '../../delivery/sandbox/sandbox.ts';
import { eraseDocuments } from '../../documents/documents.ts';
import { eraseInboundTexts } from '../../inbound/inbound-texts.ts';
import { eraseOptOuts } from '../../inbound/opt-outs/opt-outs.ts';
import { eraseFileRows } from '../../jobs/uploads/erase-rows.ts';
import { eraseLetterFiles, eraseLetterReferences } from '../../letters/letter-retention.ts';
import { eraseAttachments } from '../../notifications/attachments/attachments.ts';
import { eraseMessages } from '../../notifications/erasure/erase-messages.ts';
import { erasePlanMessages } from '../../plans/message-recipients.ts';
import { allowLongPauses, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import type { RecipientSearch } from '../../recipients/recipient.ts';
import { eraseGuests } from '../../services/settings/guest-list.ts';
import { eraseSuppressions } from '../../services/suppression/suppression-list.ts';
import { eraseUnsubscribeRequests } from '../../unsubscribe/unsubscribe-reports.ts';
import { everySpelling, readRecipient, recipientKey } from './find-recipient.ts';

/** The number of erased rows, and of rows kept because they are still in use. */
export interface Erasure {
  erased: Record<
    | 'notifications'
    | 'plan_messages'
    | 'inbound_texts'
    | 'callbacks'
    | 'sandbox_messages'
    | 'unsubscribe_requests'
    | 'suppressed_recipients'
    | 'opted_out_numbers'
    | 'complaints'
    | 'file_rows'
    | 'documents'
    | 'guest_list'
    | 'letter_files',
    number
  >;
  left: Record<'notifications' | 'plan_messages' | 'callbacks' | 'unsubscribe_requests' | 'file_rows', number>;
}

type Deps = Platform & { config: { storage: StorageSettings } };

/**
 * Erases a recipient's data in one service, or in all. Can be repeated: rows kept by one run are erased once they are final. One
 * transaction includes the audit log entry, which does not name the recipient.
 */
export async function eraseRecipient(app: Deps, input: string, serviceId?: string): Promise<Erasure> {
  const who = readRecipient(app, input);
  if (serviceId !== undefined) await refuseUnlessExists(app.db, 'services', serviceId);
  const erasure = await inTransaction(app.db, async (tx) => {
    const parts: Erasure[] = [];
    for (const spelling of everySpelling(who)) {
      parts.push(await eraseAll({ ...app, db: tx }, tx, { who: spelling, serviceId }));
    }
    const done = { erased: sumOf(parts.map((one) => one.erased)), left: sumOf(parts.map((one) => one.left)) };
    const entry = { action: 'erase', noun: 'recipient', thing_id: recipientKey(app, who) } as const;
    await recordAuditEntry(tx, { ...entry, service_id: serviceId, after: done });
    return done;
  });
  app.log.info({ event: 'recipient.erased', ...erasure }, 'A recipient was erased');
  return erasure;
}

function sumOf<Kind extends string>(counts: Record<Kind, number>[]): Record<Kind, number> {
  return counts.reduce((sum, one) => {
    for (const kind of Object.keys(one) as Kind[]) sum[kind] += one[kind];
    return sum;
  });
}

async function eraseAll(app: Deps, tx: Tx, { who, serviceId }: RecipientSearch): Promise<Erasure> {
  const { phone } = app.country;
  const recipient = 'contact' in who ? who.contact : undefined;
  await allowLongPauses(tx);
  const messages = await eraseMessages(tx, { who, serviceId });
  if (recipient === undefined) await eraseLetterReferences(tx, messages.ids);
  const inbound = recipient === undefined ? [] : await eraseInboundTexts(tx, recipient, serviceId);
  const planned = await erasePlanMessages(app, { who, serviceId });
  const subjects = new Set([...messages.ids, ...planned.erased, ...inbound]);
  const callbacks = await eraseCallbacks(tx, phone, { recipient, serviceId, subjects });
  const rows = await eraseFileRows(tx, phone, { who, serviceId });
  const requests =
    recipient === undefined
      ? { erased: 0, left: 0 }
      : await eraseUnsubscribeRequests(tx, { emailAddress: recipient, serviceId });
  const erased = {
    notifications: messages.ids.length,
    plan_messages: planned.erased.length,
    inbound_texts: inbound.length,
    callbacks: callbacks.erased,
    unsubscribe_requests: requests.erased,
    suppressed_recipients: recipient === undefined ? 0 : await eraseSuppressions(tx, recipient, serviceId),
    opted_out_numbers: recipient === undefined ? 0 : await eraseOptOuts(tx, recipient, serviceId),
    complaints: await eraseComplaints(tx, messages.ids),
    file_rows: rows.erased,
    guest_list: recipient === undefined ? 0 : await eraseGuests(tx, phone, recipient, serviceId),
    // Last, because files cannot be restored if the transaction fails.
    documents:
      (await eraseAttachments(app, messages.ids)) +
      (recipient === undefined ? 0 : await eraseDocuments(app, recipient, serviceId)),
    sandbox_messages: await eraseSandboxMessages(app, messages.ids),
    letter_files: recipient === undefined ? await eraseLetterFiles(app, messages.ids) : 0,
  };
  const left = {
    notifications: messages.left,
    plan_messages: planned.left,
    callbacks: callbacks.left,
    unsubscribe_requests: requests.left,
    file_rows: rows.left,
  };
  return { erased, left };
}
