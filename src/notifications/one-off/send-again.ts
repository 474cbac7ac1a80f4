import { invalid, notFound } from '../../platform/failure.ts';
import { platformServiceId } from '../../users/account-messages/account-messages.ts';
import { erasedRecipient } from '../erasure/erase-messages.ts';
import { selectNotification } from '../history/stored-notifications.sql.ts';
import type { Status } from '../notification.ts';
import { valuesOf } from '../sending/secret-values.ts';
import type { SendDeps } from '../sending/send-context.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { sendOneOff } from './one-off.ts';

/** Failures that another attempt can overcome: the recipient is right, as far as is known. */
const mayBeSentAgain: readonly Status[] = ['failed', 'technical-failure', 'temporary-failure'];

interface Sent {
  status: string;
  key_type: string;
  service: string;
  to: string;
  template: { is_precompiled_letter: boolean };
}

/** Not an uploaded letter, whose file would have to be uploaded again, and nothing whose values are gone. */
export function canSendAgain({ status, key_type, service, to, template }: Sent): boolean {
  return (
    mayBeSentAgain.some((one) => one === status) &&
    key_type !== 'test' &&
    service !== platformServiceId &&
    to !== erasedRecipient &&
    !template.is_precompiled_letter
  );
}

/** Sends a new message with the same recipient, values, reference and sender, from the template as it is now. */
export async function sendAgain(
  app: SendDeps,
  serviceId: string,
  notificationId: string,
  userId: string,
): Promise<{ id: string }> {
  const stored = await selectNotification(app.db, serviceId, notificationId);
  if (!stored) throw notFound();
  if (!mayBeSentAgain.includes(stored.status)) {
    throw invalid('This message did not fail in a way that sending it again could help.');
  }
  const service = await app.sending.services.find(serviceId);
  return sendOneOff(app, serviceId, {
    template_id: stored.template_id,
    to: stored.recipient,
    created_by: userId,
    personalisation: valuesOf(app, stored),
    reference: stored.client_reference,
    sender_id: service ? (senderId(service, stored.reply_to_text) ?? null) : null,
  });
}

/** Messages keep the text of their sender. One that was deleted since is replaced by that of the template. */
function senderId({ sms_senders, email_reply_tos }: SendingService, text: string | null): string | undefined {
  return [...sms_senders, ...email_reply_tos].find(([, name]) => name === text)?.[0];
}
