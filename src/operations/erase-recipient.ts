import { eraseComplaints } from '../complaints/complaints.ts';
import type { Config } from '../config.ts';
import { eraseCallbacks } from '../delivery/callbacks/callback-history.ts';
import { eraseSandboxMessages } from '../delivery/sandbox/sandbox.ts';
import { eraseInboundTexts } from '../inbound/inbound-texts.ts';
import { eraseFileRows } from '../jobs/uploads/erase-rows.ts';
import { eraseMessages } from '../notifications/erase-messages.ts';
import { invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { parsePhoneNumber } from '../recipients/phone-number.ts';
import { eraseUnsubscribeRequests } from '../unsubscribe/unsubscribe-reports.ts';

/** The number of erased rows, and of rows left because they are still in use. */
export interface Erasure {
  erased: Record<
    | 'notifications'
    | 'inbound_texts'
    | 'callbacks'
    | 'sandbox_messages'
    | 'unsubscribe_requests'
    | 'complaints'
    | 'file_rows',
    number
  >;
  left: Record<'notifications' | 'callbacks' | 'unsubscribe_requests' | 'file_rows', number>;
}

type Deps = Platform & { config: Pick<Config, 'storage'> };

/** Can be repeated: rows left by one run are erased once they are final. */
export async function eraseRecipient(app: Deps, input: string): Promise<Erasure> {
  const recipient = readRecipient(input);
  const messages = await eraseMessages(app.db, recipient);
  const inbound = await eraseInboundTexts(app.db, recipient);
  const callbacks = await eraseCallbacks(app.db, recipient, new Set([...messages.ids, ...inbound]));
  const rows = await eraseFileRows(app.db, recipient);
  const requests = await eraseUnsubscribeRequests(app.db, recipient);
  const erased = {
    notifications: messages.ids.length,
    inbound_texts: inbound.length,
    callbacks: callbacks.erased,
    sandbox_messages: await eraseSandboxMessages(app, messages.ids),
    unsubscribe_requests: requests.erased,
    complaints: await eraseComplaints(app.db, messages.ids),
    file_rows: rows.erased,
  };
  const left = {
    notifications: messages.left,
    callbacks: callbacks.left,
    unsubscribe_requests: requests.left,
    file_rows: rows.left,
  };
  app.log.info({ event: 'recipient.erased', erased, left }, 'A recipient was erased');
  return { erased, left };
}

/** Normalises an email address or phone number. */
function readRecipient(input: string): string {
  const email = parseEmailAddress(input);
  if (email.ok) return email.address;
  const phone = parsePhoneNumber(input);
  if (phone.ok) return phone.number.normalised;
  throw invalidField('recipient', 'Not a valid email address or phone number.');
}
