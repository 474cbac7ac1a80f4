import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { canonicalId } from '../../platform/id.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { comparableKey } from '../../rendering/personalisation.ts';
import { getTemplateForSending } from '../../templates/compiled-templates.ts';
import { refusalOfPhone } from '../account-messages/account-messages.ts';
import { selectNotification } from '../history/stored-notifications.sql.ts';
import type { Postage } from '../notification.ts';
import { Replay } from '../sending/persist-and-respond.ts';
import { sendEmail, sendLetter, sendPrecompiledLetter, sendSms } from '../sending/send.ts';
import type { SendContext, SendDeps } from '../sending/send-context.ts';
import { refuseIfDailyLimitIsReached, type Values } from '../sending/send-rules.ts';
import { selectSenderByHand } from './one-off.sql.ts';
import { claimOfFile, findUploadedLetter } from './uploaded-letters.ts';

interface OneOffRequest {
  template_id: string;
  to: string;
  created_by: string;
  personalisation?: Record<string, unknown> | null;
  sender_id?: string | null;
  reference?: string | null;
}

/** A message that a person of the service sends by hand. The same rules as for applications, without a key. */
export async function sendOneOff(app: SendDeps, serviceId: string, request: OneOffRequest): Promise<{ id: string }> {
  const context = await contextOfPerson(app, serviceId, request.created_by);
  const { row } = await getTemplateForSending(app, context.service.id, request.template_id);
  refuseIfDailyLimitIsReached(context, row.template_type);
  const shared = {
    template_id: request.template_id,
    personalisation: request.personalisation ?? {},
    reference: request.reference ?? undefined,
  };
  const sender_id = request.sender_id ?? undefined;
  switch (row.template_type) {
    case 'sms': {
      const parsed = parsePhoneNumber(request.to);
      if (!parsed.ok) throw invalidField('to', refusalOfPhone(parsed.reason));
      const texting = { ...shared, phone_number: request.to, sms_sender_id: sender_id };
      return sendSms(app, context, { request: texting, number: parsed.number, scheduled_for: null });
    }
    case 'email': {
      const parsed = parseEmailAddress(request.to);
      if (!parsed.ok) throw invalidField('to', 'Not a valid email address');
      const mailing = { ...shared, email_address: request.to, email_reply_to_id: sender_id };
      return sendEmail(app, context, { request: mailing, ...parsed, scheduled_for: null });
    }
    case 'letter':
      return sendLetter(app, context, { ...shared, personalisation: withAddressKeys(shared.personalisation) });
  }
}

interface OneOffLetterRequest {
  filename: string;
  created_by: string;
  content: string;
  postage?: Postage;
  /** The id that the letter is to be called by. */
  file_id?: string;
}

/** A letter that a person uploads as PDF; the name of the file is its reference. */
export async function sendUploadedLetter(
  app: SendDeps,
  serviceId: string,
  { filename, created_by, content, postage, file_id: given }: OneOffLetterRequest,
): Promise<{ id: string }> {
  const context = await contextOfPerson(app, serviceId, created_by);
  const letter = { reference: filename, content, postage };
  if (given === undefined) {
    refuseIfDailyLimitIsReached(context, 'letter');
    return sendPrecompiledLetter(app, context, letter);
  }
  const file_id = canonicalId(given);
  if (await findUploadedLetter(app.db, context.service.id, file_id)) return { id: file_id };
  if (await selectNotification(app.db, context.service.id, file_id)) throw invalidField('file_id', 'Already in use.');
  refuseIfDailyLimitIsReached(context, 'letter');
  try {
    const claimed = { ...context, idempotency: claimOfFile(file_id) };
    return await sendPrecompiledLetter(app, claimed, { ...letter, file_id });
  } catch (error) {
    // A request beside this one was faster.
    if (error instanceof Replay) return { id: file_id };
    throw error;
  }
}

async function contextOfPerson(app: SendDeps, serviceId: string, userId: string): Promise<SendContext> {
  const found = await selectSenderByHand(app.db, serviceId, userId);
  if (!found) throw notFound();
  if (!found.is_member) {
    throw invalid(
      `Can’t create notification - ${found.user_name ?? 'the user'} is not part of the "${found.service_name}" service`,
    );
  }
  const service = await app.sending.services.find(canonicalId(serviceId));
  if (!service) throw notFound();
  return {
    service,
    key_type: 'normal',
    api_key_id: null,
    created_by_id: userId,
    now: app.clock.now(),
    root: app.config.BASE_URL,
    idempotency: undefined,
  };
}

const addressKeys = new Map<string, string>(
  [1, 2, 3, 4, 5, 6, 7].map((number) => [`addressline${number}`, `address_line_${number}`]),
);

/** People's forms write `address line 1`; the address is read from `address_line_1`. */
function withAddressKeys(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [addressKeys.get(comparableKey(name)) ?? name, value]),
  );
}
