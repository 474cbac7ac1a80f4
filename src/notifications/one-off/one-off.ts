import type { Timestamp } from '../../platform/clock.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { canonicalId } from '../../platform/id.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { withoutHiddenCharacters } from '../../protocol/hidden-characters.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { phoneNumberText, refusedEmailAddress } from '../../recipients/recipient-texts.ts';
import { findTemplate } from '../../templates/compiled-templates.ts';
import { templateOfCaller } from '../../templates/public-templates.ts';
import { storeTestTemplate } from '../../templates/template-drafts.ts';
import { platformServiceId } from '../../users/platform-user.ts';
import { erasedRecipient } from '../erasure/erase-messages.ts';
import { selectNotification } from '../history/stored-notifications.sql.ts';
import type { Status } from '../notification.ts';
import { findStoredResponse } from '../sending/idempotency.ts';
import { phoneRulesFor } from '../sending/read-requests.ts';
import { readScheduledTime, windowsOfMessages } from '../sending/scheduled-time.ts';
import { valuesOf } from '../sending/secret-values.ts';
import { sendEmail, sendLetter, sendPrecompiledLetter, sendSms } from '../sending/send.ts';
import type { SendContext, SendDeps } from '../sending/send-context.ts';
import { refuseIfDailyLimitIsReached, refuseIfValuesAreMissing, type Values } from '../sending/send-rules.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { selectOneOffSender } from './one-off.sql.ts';
import { claimOfFile, findUploadedLetter } from './uploaded-letters.ts';

interface OneOffRequest {
  template_id: string;
  to: string;
  created_by: string;
  personalisation?: Record<string, unknown> | null;
  sender_id?: string | null;
  reference?: string | null;
  language?: string | null;
  /** Not supported for letters. */
  scheduled_for?: string | null;
}

/**
 * Sends a message from the front end, with the same rules as for API clients, but without a key. A repeated `send_id` sends no second
 * message.
 */
export async function sendOneOff(
  app: SendDeps,
  serviceId: string,
  request: OneOffRequest & { send_id?: string },
): Promise<{ id: string }> {
  const context = await oneOffContext(app, serviceId, request.created_by);
  if (request.send_id === undefined) return send(app, context, request);
  const idempotency = { key: `send_id\n${canonicalId(request.send_id)}`, request_digest: 'send_id' };
  const stored = await findStoredResponse(app, context.service.id, idempotency.key);
  if (stored) return stored.response as { id: string };
  return send(app, { ...context, idempotency }, request);
}

/** Throws if `sendOneOff` would fail now. */
export async function checkOneOff(app: SendDeps, serviceId: string, request: OneOffRequest): Promise<void> {
  await send(app, { ...(await oneOffContext(app, serviceId, request.created_by)), only_check: true }, request);
}

async function send(app: SendDeps, context: SendContext, request: OneOffRequest): Promise<{ id: string }> {
  const { row } = templateOfCaller(await findTemplate(app, context.service.id, request.template_id));
  refuseIfDailyLimitIsReached(app, context, row.template_type);
  const shared = {
    template_id: request.template_id,
    personalisation: request.personalisation ?? {},
    reference: request.reference ?? undefined,
    language: request.language ?? undefined,
  };
  const sender_id = request.sender_id ?? undefined;
  const scheduled_for = readSchedule(row.template_type, request.scheduled_for ?? null, context.now);
  switch (row.template_type) {
    case 'sms': {
      const parsed = parsePhoneNumber(phoneRulesFor(app.country, context.dialect), request.to);
      if (!parsed.ok) throw invalidField('to', phoneNumberText(app.country.words, parsed.reason));
      const smsRequest = { ...shared, phone_number: request.to, sms_sender_id: sender_id };
      const sms = { request: smsRequest, number: parsed.number, scheduled_for };
      return (await sendSms(app, context, sms)).response;
    }
    case 'email': {
      const parsed = parseEmailAddress(request.to);
      if (!parsed.ok) throw invalidField('to', refusedEmailAddress);
      const emailRequest = { ...shared, email_address: request.to, email_reply_to_id: sender_id };
      return (await sendEmail(app, context, { request: emailRequest, ...parsed, scheduled_for })).response;
    }
    case 'letter': {
      const letter = { ...shared, personalisation: withAddressKeys(shared.personalisation) };
      return (await sendLetter(app, context, letter)).response;
    }
  }
}

function readSchedule(channel: Channel, text: string | null, now: Date): Timestamp | null {
  if (text === null) return null;
  if (channel === 'letter') throw invalidField('scheduled_for', 'Letters cannot be scheduled');
  const read = readScheduledTime(text, now, windowsOfMessages.govuk);
  if ('problem' in read) throw invalidField('scheduled_for', read.problem);
  return read.at;
}

interface OneOffLetterRequest {
  filename: string;
  created_by: string;
  content: string;
  postage?: string;
  /** The public id of the letter. */
  file_id?: string;
  /** The address that a check of the file has read. */
  address?: string;
}

/** Sends a letter uploaded as PDF in the front end; the file name becomes its reference. */
export async function sendUploadedLetter(
  app: SendDeps,
  serviceId: string,
  { filename, created_by, content, postage, file_id: requestedFileId, address }: OneOffLetterRequest,
): Promise<{ id: string }> {
  const context = await oneOffContext(app, serviceId, created_by);
  const letter = { reference: withoutHiddenCharacters(filename), content, postage, address };
  if (requestedFileId === undefined) {
    refuseIfDailyLimitIsReached(app, context, 'letter');
    return (await sendPrecompiledLetter(app, context, letter)).response;
  }
  const file_id = canonicalId(requestedFileId);
  // Read before the upload: a letter that a concurrent request stores in between is found as uploaded.
  const taken = await selectNotification(app.db, context.service.id, file_id);
  if (await findUploadedLetter(app.db, context.service.id, file_id)) return { id: file_id };
  if (taken) throw invalidField('file_id', 'Already in use.');
  refuseIfDailyLimitIsReached(app, context, 'letter');
  // Returns the earlier response if a concurrent request was faster.
  await sendPrecompiledLetter(app, { ...context, idempotency: claimOfFile(file_id) }, { ...letter, file_id });
  return { id: file_id };
}

async function oneOffContext(app: SendDeps, serviceId: string, userId: string): Promise<SendContext> {
  const found = await selectOneOffSender(app.db, serviceId, userId);
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
    dialect: service.api_dialect,
    key_type: 'normal',
    api_key_id: null,
    created_by_id: userId,
    now: app.clock.now(),
    root: app.config.urls.api,
    idempotency: undefined,
  };
}

const addressKeys = new Map<string, string>(
  [1, 2, 3, 4, 5, 6, 7].map((number) => [`addressline${number}`, `address_line_${number}`]),
);

/** The front end sends `address line 1`; rename it to `address_line_1`. */
function withAddressKeys(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [addressKeys.get(comparableKey(name)) ?? name, value]),
  );
}

/** Failures that a new attempt can overcome: as far as known, the recipient is right. */
const mayBeSentAgain: readonly Status[] = ['failed', 'technical-failure', 'temporary-failure'];

interface Sent {
  status: string;
  key_type: string;
  service: string;
  to: string;
  template: { is_precompiled_letter: boolean };
}

/** Excludes uploaded letters, whose file would have to be uploaded again, and messages whose values are gone. */
export function canSendAgain({ status, key_type, service, to, template }: Sent): boolean {
  return (
    mayBeSentAgain.some((one) => one === status) &&
    key_type !== 'test' &&
    service !== platformServiceId &&
    to !== erasedRecipient &&
    !template.is_precompiled_letter
  );
}

/** Sends a new message with the same recipient, values, reference and sender, from the current template. */
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
    language: stored.language,
    sender_id: service ? (senderId(service, stored.reply_to_text) ?? null) : null,
  });
}

/** Messages store the text of their sender, not its id. If the sender was deleted since, that of the template is used. */
function senderId({ sms_senders, email_reply_tos }: SendingService, text: string | null): string | undefined {
  return [...sms_senders, ...email_reply_tos].find(([, name]) => name === text)?.[0];
}

interface Writer {
  id: string;
  email_address: string;
  mobile_number: string | null;
}

type Draft = Parameters<typeof storeTestTemplate>[3];

/** Sends an unsaved text to the person who writes it, as a normal message with its rules, limits and costs. */
export async function sendDraftToWriter(
  app: SendDeps,
  serviceId: string,
  writer: Writer,
  draft: Draft,
  personalisation: Record<string, unknown>,
): Promise<{ id: string; to: string }> {
  const context = await oneOffContext(app, serviceId, writer.id);
  if (draft.template_type === 'letter') throw invalid('A letter cannot be sent as a test: download its PDF');
  refuseIfDailyLimitIsReached(app, context, draft.template_type);
  if (draft.template_type === 'sms') {
    if (writer.mobile_number === null) throw invalid('Your account has no mobile number: add one in Your account');
    const parsed = parsePhoneNumber(app.country.phone, writer.mobile_number);
    if (!parsed.ok) throw invalid(phoneNumberText(app.country.words, parsed.reason));
    const template = await storeTestTemplate(app, serviceId, writer.id, draft);
    refuseIfValuesAreMissing(template, personalisation);
    const request = { template_id: template.row.id, personalisation, phone_number: writer.mobile_number };
    const sms = { request, number: parsed.number, scheduled_for: null };
    const { response } = await sendSms(app, { ...context, template }, sms);
    return { id: response.id, to: writer.mobile_number };
  }
  const parsed = parseEmailAddress(writer.email_address);
  if (!parsed.ok) throw invalid(refusedEmailAddress);
  const template = await storeTestTemplate(app, serviceId, writer.id, draft);
  const request = { template_id: template.row.id, personalisation, email_address: writer.email_address };
  const { response } = await sendEmail(app, { ...context, template }, { request, ...parsed, scheduled_for: null });
  return { id: response.id, to: writer.email_address };
}
