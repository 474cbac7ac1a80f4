import { findPostage } from '../../countries/postage.ts';
import { readFiles, refuseUnlessFilesAreSetUp } from '../../documents/file-requests.ts';
import { exampleDocuments, prepareDocuments } from '../../documents/prepare-documents.ts';
import { readSentFiles, type SentFile, withoutSentFiles } from '../../documents/sent-files.ts';
import type { Timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { formatSmsSender, type PhoneNumber } from '../../recipients/phone-number.ts';
import { isSimulatedEmailAddress, isSimulatedPhoneNumber } from '../../recipients/recipient.ts';
import { cleanRecipient } from '../../recipients/whitespace.ts';
import { sanitisePersonalisation } from '../../rendering/sanitise.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { renderSubject } from '../../templates/email-threads.ts';
import { getOrCreatePrecompiledTemplate } from '../../templates/templates.ts';
import { unsubscribeUrl } from '../../unsubscribe/unsubscribe.ts';
import { prepareAttachments } from '../attachments/attachments.ts';
import type { NewNotification } from '../notification.ts';
import { recordUploadedLetter } from '../one-off/uploaded-letters.ts';
import { checkPrecompiledLetter, composeLetter, letterFiles } from '../tasks-for-others.ts';
import type { HeldRow } from '../windows/held-messages.sql.ts';
import { holdInWindow } from '../windows/held-messages.ts';
import type { WhereItGoes } from '../windows/placing.ts';
import type { Sent } from './idempotency.ts';
import { addressValues, decodeLetter, readAddress, refuseLongQrCodes } from './letter-rules.ts';
import { type MessageFiles, type PreparedMessage, persistAndRespond, responseFor } from './persist-and-respond.ts';
import { encryptValues } from './secret-values.ts';
import { newNotification, type SendContext, type SendDeps } from './send-context.ts';
import type {
  EmailRequest,
  EmailResponse,
  LetterRequest,
  LetterResponse,
  PrecompiledLetterRequest,
  PrecompiledLetterResponse,
  SmsRequest,
  SmsResponse,
} from './send-requests.ts';
import {
  chooseReplyTo,
  chooseSmsSender,
  countLength,
  getRateOf,
  getSendableTemplate,
  isFromApi,
  partsOf,
  refuseFiles,
  refuseIfBodyIsEmpty,
  refuseIfDailyLimitIsReached,
  refuseIfEmailIsTooLong,
  refuseIfStopped,
  refuseIfSuppressed,
  refuseIfTextIsEmpty,
  refuseIfTextIsTooLong,
  refuseIfValuesAreMissing,
  refuseLettersInTrialMode,
  refuseLettersOfTeamKeys,
  refuseUnlessAttachmentsAreAllowed,
  refuseUnlessChannelIsAllowed,
  refuseUnlessNumberIsAllowed,
  refuseUnlessRecipientIsAllowed,
} from './send-rules.ts';

/** The order of the checks is part of the API: if a request breaks several rules, it gets the error of the first. */

export interface SmsSend {
  request: SmsRequest;
  number: PhoneNumber;
  scheduled_for: Timestamp | null;
}

export async function sendSms(
  app: SendDeps,
  context: SendContext,
  { request, number: parsed, scheduled_for }: SmsSend,
): Promise<Sent<SmsResponse>> {
  refuseUnlessChannelIsAllowed(context, 'sms');
  const values = request.personalisation ?? {};
  const template = await getSendableTemplate(app, context, request, 'sms');
  refuseIfValuesAreMissing(template, values);
  const message = template.compiled.render(values);
  refuseIfTextIsEmpty(message);
  refuseFiles(values);
  const smsSender = chooseSmsSender(context, template, request.sms_sender_id);
  refuseUnlessRecipientIsAllowed(context, parsed.normalised);
  refuseUnlessNumberIsAllowed(app, context, parsed);
  await refuseIfStopped(app, context, template, { number: parsed.normalised, sender: smsSender });
  const number = parsed.international ? await getRateOf(app, parsed) : parsed;
  if (number.abroad) refuseIfDailyLimitIsReached(app, context, 'international_sms');
  refuseIfTextIsTooLong(context, template, values, message);

  const wanted = newNotification(context, template, {
    client_reference: request.reference,
    recipient: cleanRecipient(request.phone_number),
    normalised_recipient: number.normalised,
    international: number.international,
    rate_multiplier: number.multiplier,
    personalisation: template.compiled.used(values),
    reply_to_text: smsSender,
    scheduled_for,
  });
  const isSimulated = isFromApi(context) && isSimulatedPhoneNumber(app.country, number.normalised);
  const { notification, held } = placeInTime(app, context, template, wanted, {
    time_zone: request.recipient_time_zone,
    region: number.region,
    isSimulated,
  });
  return persistAndRespond(app, context, {
    notification: isSimulated ? null : notification,
    held,
    abroad: number.abroad,
    parts: partsOf(app, context, template, values),
    response: {
      ...responseFor(context, notification, {
        body: message.text,
        from_number: smsSender && formatSmsSender(app.country.phone, smsSender),
      }),
      ...heldUntil(held),
    },
  });
}

export interface EmailSend {
  request: EmailRequest;
  /** `cleaned` is stored; `address` is the normalised form to send to. */
  cleaned: string;
  address: string;
  scheduled_for: Timestamp | null;
}

export async function sendEmail(app: SendDeps, context: SendContext, email: EmailSend): Promise<Sent<EmailResponse>> {
  return persistAndRespond(app, context, await prepareEmail(app, context, email));
}

/** Checks everything, but stores nothing yet. */
export async function prepareEmail(
  app: SendDeps,
  context: SendContext,
  { request, cleaned, address, scheduled_for }: EmailSend,
): Promise<PreparedMessage<EmailResponse>> {
  const sent = readSentFiles(request.personalisation ?? {});
  const [links, attached] = [sent.filter(isLink), sent.filter((file) => !isLink(file))];
  refuseUnlessChannelIsAllowed(context, 'email');
  const template = await getSendableTemplate(app, context, request, 'email');
  const { personalisation: values, sanitised_content } = sanitisePersonalisation(
    withoutSentFiles(request.personalisation ?? {}, sent),
    (request.sanitise_content_for ?? []).map(String),
  );
  const templateFiles = template.row.email_files;
  const withFileNames = { ...values, ...Object.fromEntries(templateFiles.map(({ filename }) => [filename, filename])) };
  refuseIfValuesAreMissing(template, withFileNames);
  countLength(context, template.compiled, values);
  const bodyWithFileNames = template.compiled.body(withFileNames);
  refuseIfBodyIsEmpty(bodyWithFileNames);
  const replyTo = chooseReplyTo(context, template, request.email_reply_to_id);
  refuseUnlessRecipientIsAllowed(context, address);
  const isSimulated = isFromApi(context) && isSimulatedEmailAddress(app.country, address);
  if (!isSimulated) await refuseIfSuppressed(app, context, address);
  const uploads = readFiles(values);
  refuseUnlessFilesAreSetUp(app, context.service, uploads.length + templateFiles.length > 0);
  refuseUnlessAttachmentsAreAllowed(app, attached.length);
  const id = context.step?.notification_id ?? newId(context.now);
  const language = template.language ?? template.row.languages?.default ?? null;
  const email = { id, service_id: context.service.id, recipient: address, language, now: context.now };
  const files = { uploads: [...uploads, ...links], ofTemplate: templateFiles };
  const hasFiles = files.uploads.length + templateFiles.length > 0;
  const documents = isSimulated
    ? exampleDocuments(app, context.service.id, files)
    : await prepareDocuments(app, email, files);
  const attachments = isSimulated ? undefined : await prepareAttachments(app, email, attached);
  const personalisation = { ...values, ...documents.values };
  const body = hasFiles ? template.compiled.body(personalisation) : bodyWithFileNames;
  refuseIfEmailIsTooLong(body);
  const rendering = renderSubject(app.emailThreads, context.service.id, template.compiled, personalisation);
  const subject = rendering instanceof Promise ? await rendering : rendering;

  const hasSecrets = !isSimulated && (hasFiles || attached.length > 0);
  const secret_values = hasSecrets ? encryptValues(app, id, documents.values, attachments?.stored) : null;
  const one_click_unsubscribe_url = request.one_click_unsubscribe_url ?? null;
  const wanted = newNotification(context, template, {
    id,
    client_reference: request.reference,
    recipient: cleaned,
    normalised_recipient: address,
    personalisation: template.compiled.used(
      secret_values === null ? personalisation : without(values, Object.keys(documents.values)),
    ),
    reply_to_text: replyTo,
    // Use the parsed URL: in the email header a line break or `>` would be header injection.
    one_click_unsubscribe_url: one_click_unsubscribe_url
      ? new URL(one_click_unsubscribe_url).href
      : template.row.has_unsubscribe_link
        ? unsubscribeUrl(app, { id, address, template: template.row, language })
        : null,
    scheduled_for,
  });
  const time_zone = request.recipient_time_zone;
  const { notification, held } = placeInTime(app, context, template, wanted, { time_zone, isSimulated });
  return {
    notification: isSimulated ? null : notification,
    held,
    files: hasSecrets ? allFiles(documents, attachments) : undefined,
    secret_values,
    response: {
      ...responseFor(context, notification, {
        from_email: `${context.service.email_sender_local_part}@${app.config.email.domain}`,
        subject,
        body,
        one_click_unsubscribe_url,
      }),
      sanitised_content,
      ...heldUntil(held),
    },
  };
}

/** Applies sending times. Simulated messages and tests from the editor do not wait. */
function placeInTime(
  app: SendDeps,
  { service, template: given }: SendContext,
  { row }: ReadyTemplate,
  wanted: NewNotification,
  { isSimulated, ...recipient }: WhereItGoes & { isSimulated: boolean },
) {
  const times = isSimulated || given ? null : service.sending_times;
  return holdInWindow(app, times, wanted, row.process_type, recipient);
}

function heldUntil(held: HeldRow | undefined) {
  return held?.held_until ? { held_until: held.held_until } : {};
}

export async function sendLetter(
  app: SendDeps,
  context: SendContext,
  request: LetterRequest,
): Promise<Sent<LetterResponse>> {
  refuseUnlessChannelIsAllowed(context, 'letter');
  const values = request.personalisation;
  const template = await getSendableTemplate(app, context, request, 'letter');
  refuseLongQrCodes(template.compiled, values);
  refuseIfValuesAreMissing(template, values);
  const body = template.compiled.body(values);
  refuseIfBodyIsEmpty(body);
  refuseFiles(values);
  refuseLettersOfTeamKeys(context);
  refuseLettersInTrialMode(context);
  const address = readAddress(app, context, values);

  const notification = newNotification(context, template, {
    client_reference: request.reference,
    recipient: address.lines.join('\n'),
    international: address.international,
    postage: addressRules(app.country).postage(address, template.row.postage),
    personalisation: { ...addressValues(values), ...template.compiled.used(values) },
    reply_to_text: template.row.reply_to_text,
    lane: null,
  });
  return persistAndRespond(app, context, {
    notification,
    task: composeLetter,
    response: responseFor(context, notification, { subject: template.compiled.subject(values), body }),
  });
}

export async function sendPrecompiledLetter(
  app: SendDeps,
  context: SendContext,
  /** `address` is set if a person has just seen it in the check of the file. */
  request: PrecompiledLetterRequest & { file_id?: string; address?: string },
): Promise<Sent<PrecompiledLetterResponse>> {
  refuseUnlessChannelIsAllowed(context, 'letter');
  const row = await getOrCreatePrecompiledTemplate(app.db, context.service.id, {
    country: app.country,
    now: context.now,
  });
  refuseLettersOfTeamKeys(context);
  refuseLettersInTrialMode(context);
  const pdf = decodeLetter(request.content);
  // The check of the file will read the address and may choose another class.
  const postage = findPostage(app.country.postage, request.postage ?? '') ?? app.country.postage.default;

  const notification = newNotification(
    context,
    { row },
    {
      client_reference: request.reference,
      status: 'pending-virus-check',
      recipient: request.address ?? providedAsPdf,
      postage,
      personalisation: { address_line_1: providedAsPdf },
      lane: null,
    },
  );
  const { id } = notification;
  const { file_id } = request;
  return persistAndRespond(app, context, {
    notification,
    task: checkPrecompiledLetter,
    files: {
      paths: [letterFiles.uploaded(id)],
      put: () => app.files.put(letterFiles.uploaded(id), pdf),
      record: file_id === undefined ? undefined : (tx) => recordUploadedLetter(tx, notification, file_id),
    },
    response: { id: file_id ?? id, reference: request.reference, postage },
  });
}

function allFiles(documents: MessageFiles, attachments: MessageFiles | undefined): MessageFiles {
  if (!attachments) return documents;
  return {
    count: documents.count,
    paths: [...documents.paths, ...attachments.paths],
    async put() {
      await documents.put();
      await attachments.put();
    },
    async record(tx) {
      await documents.record?.(tx);
      await attachments.record?.(tx);
    },
  };
}

function isLink({ sending_method }: SentFile): boolean {
  return sending_method === 'link';
}

/** Links to files are stored encrypted in their own column; uploads are not stored among the values. */
function without(values: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

/** Replaces the address until a task has read the file. */
const providedAsPdf = 'Provided as PDF';
