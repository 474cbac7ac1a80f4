import { isFile } from '../../documents/file-requests.ts';
import { isSentFile } from '../../documents/sent-files.ts';
import { findOptedOut, optOutText } from '../../inbound/opt-outs/opt-outs.ts';
import { Failure, forbidden, invalid } from '../../platform/failure.ts';
import { canonicalId } from '../../platform/id.ts';
import type { Channel } from '../../protocol/channels.ts';
import { checkPhonePermissions, type PhoneNumber } from '../../recipients/phone-number.ts';
import { isSimulatedByGc } from '../../recipients/recipient.ts';
import { phoneNumberText } from '../../recipients/recipient-texts.ts';
import { maxEmailBytes } from '../../rendering/email/email.ts';
import { describeMissing } from '../../rendering/placeholders.ts';
import { isEmpty, isTooLong, maxSmsLength, type SmsMessage } from '../../rendering/sms/sms.ts';
import type { CompiledTemplate, EmailTemplate } from '../../rendering/template.ts';
import {
  countRefusedSends,
  findSuppressed,
  refusalText,
  suppressRecipients,
} from '../../services/suppression/suppression-list.ts';
import { getChosenTemplate, type TemplateChoice } from '../../templates/chosen-template.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { checkLength, emailTooLong, requestsFor } from '../../templates/email-threads.ts';
import { inChosenLanguage, type LanguageChoice } from '../../templates/languages/chosen-language.ts';
import { countRefusal } from '../limits/annual-limits.ts';
import { countsParts, dailyLimitExceeded, isDailyLimitReached } from '../limits/daily-limits.ts';
import type { LimitedChannel } from '../notification.ts';
import { findRateOf } from '../rates-abroad.ts';
import type { SendContext, SendDeps } from './send-context.ts';

/** Validation rules of sending; `send.ts` defines their order. */

export type Values = Record<string, unknown>;

type TemplateOf<Type extends Channel> = ReadyTemplate & {
  compiled: Extract<CompiledTemplate, { template_type: Type }>;
};

export function refuseIfDailyLimitIsReached(
  app: SendDeps,
  { service, key_type, now, only_check }: SendContext,
  channel: LimitedChannel,
): void {
  if (key_type === 'test' || !isDailyLimitReached(app.country, service, channel, now)) return;
  if (!only_check) countRefusal(app, 'day', channel);
  throw dailyLimitExceeded(app.country, service, channel, now);
}

export function refuseUnlessChannelIsAllowed({ service }: SendContext, channel: Channel): void {
  if (service.permissions.has(channel)) return;
  throw forbidden(`Service is not allowed to send ${channel}`, { reason: 'channel_not_allowed', facts: { channel } });
}

/** Returns a template of the service with the right type, not archived, in the language of the message. */
export async function getSendableTemplate<Type extends Channel>(
  app: SendDeps,
  { service, template: given }: SendContext,
  choice: TemplateChoice & LanguageChoice,
  type: Type,
): Promise<TemplateOf<Type>> {
  const template = given ?? (await getChosenTemplate(app, service.id, choice, type));
  if (!isOfType(template, type)) {
    throw invalid(`${template.row.template_type} template is not suitable for ${type} notification`);
  }
  if (template.row.archived) {
    throw invalid('Template has been deleted', { reason: 'template_deleted', facts: { template_id: template.row.id } });
  }
  return inChosenLanguage(app, template, choice);
}

function isOfType<Type extends Channel>(template: ReadyTemplate, type: Type): template is TemplateOf<Type> {
  return template.compiled.template_type === type;
}

export function refuseIfValuesAreMissing({ row, compiled }: ReadyTemplate, values: Values): void {
  const missing = compiled.missing(values);
  if (missing.length === 0) return;
  const facts = { template_id: row.id, names: missing.join(', ') };
  throw invalid(describeMissing(missing), { reason: 'missing_values', facts });
}

const emptyMessage = () => invalid('Your message is empty.', { reason: 'empty_message' });

export function refuseIfTextIsEmpty(message: SmsMessage): void {
  if (isEmpty(message)) throw emptyMessage();
}

export function refuseIfBodyIsEmpty(body: string): void {
  if (body.trim() === '') throw emptyMessage();
}

export function refuseFiles(values: Values): void {
  if (Object.values(values).some((value) => isFile(value) || isSentFile(value)))
    throw invalid('Can only send a file by email');
}

export function refuseUnlessAttachmentsAreAllowed({ config }: SendDeps, count: number): void {
  if (count > 0 && !config.email.attachments) throw invalid('Service is not allowed to send documents');
}

/** Returns the requested sender, or else the template's, or else the service's. */
export function chooseSmsSender({ service }: SendContext, { row }: ReadyTemplate, senderId?: string): string | null {
  if (senderId === undefined) return row.reply_to_text;
  const sender = service.sms_senders.get(canonicalId(senderId));
  if (sender === undefined) throw senderNotFound('sms_sender_id', senderId, service.id);
  return sender;
}

/** Returns the requested reply-to address, or else the template's, or else the service's, if any. */
export function chooseReplyTo({ service }: SendContext, { row }: ReadyTemplate, replyToId?: string): string | null {
  if (replyToId === undefined) return row.reply_to_text;
  const replyTo = service.email_reply_tos.get(canonicalId(replyToId));
  if (replyTo === undefined) throw senderNotFound('email_reply_to_id', replyToId, service.id);
  return replyTo;
}

function senderNotFound(field: string, id: string, serviceId: string): Failure {
  return invalid(`${field} ${id} does not exist in database for service id ${serviceId}`);
}

/** Team keys and services in trial mode may only send to members and guests. */
export function refuseUnlessRecipientIsAllowed(context: SendContext, normalised: string): void {
  const { service, key_type } = context;
  if (key_type === 'test' || service.allowed_recipients.has(normalised)) return;
  if (key_type !== 'team' && !service.restricted) return;
  if (isFromApi(context) && isSimulatedByGc(normalised)) return;
  if (key_type === 'team') {
    throw invalid('Can’t send to this recipient using a team-only API key', { reason: 'not_in_team' });
  }
  throw invalid(
    'Can’t send to this recipient when service is in trial mode – see https://www.notifications.service.gov.uk/trial-mode',
    { reason: 'not_in_trial_mode' },
  );
}

/** Simulated recipients are for API clients. Messages from the front end and from channel plans are actually sent. */
export function isFromApi({ created_by_id, step }: SendContext): boolean {
  return created_by_id === null && !step;
}

/** Costs one indexed lookup, only for services that keep a suppression list. */
export async function refuseIfSuppressed(app: SendDeps, context: SendContext, address: string): Promise<void> {
  const { service, key_type } = context;
  if (key_type === 'test' || !service.permissions.has(suppressRecipients)) return;
  const suppressed = (await findSuppressed(app.db, service.id, [address])).get(address);
  if (!suppressed) return;
  if (!context.only_check) countRefusedSends(app, [suppressed.reason]);
  throw invalid(refusalText(app.country, suppressed), { reason: 'suppressed' });
}

/** Costs one indexed lookup, only for services with opted-out numbers. */
export async function refuseIfStopped(
  app: SendDeps,
  { service, key_type }: SendContext,
  { row }: ReadyTemplate,
  { number, sender }: { number: string; sender: string | null },
): Promise<void> {
  if (key_type === 'test' || !service.has_opt_outs) return;
  const to = { service_id: service.id, template_id: row.id, sender };
  const stopped = (await findOptedOut(app, app.db, to, [number])).get(number);
  if (stopped) throw invalid(optOutText(app.country, stopped), { reason: 'opted_out' });
}

export function refuseUnlessNumberIsAllowed({ country }: SendDeps, context: SendContext, number: PhoneNumber): void {
  const { service } = context;
  const reason = checkPhonePermissions(number, {
    international: service.permissions.has('international_sms'),
    landline: service.permissions.has('sms_to_uk_landlines'),
  });
  if (reason === undefined || (isFromApi(context) && isSimulatedByGc(number.normalised))) return;
  if (reason === 'international_not_allowed') {
    throw new Failure('invalid', 'BadRequestError', 'Cannot send to international mobile numbers', { reason });
  }
  throw new Failure('invalid', 'InvalidPhoneError', country.words.notHomeMobile, { reason });
}

/** Returns the number with the current rate for texts to it. */
export async function getRateOf({ country }: SendDeps, parsed: PhoneNumber): Promise<PhoneNumber> {
  const number = await findRateOf(country.phone, parsed);
  if (number) return number;
  const reason = 'unsupported_country_code';
  throw new Failure('invalid', 'InvalidPhoneError', phoneNumberText(country.words, reason), { reason });
}

export function refuseIfTextIsTooLong(
  { service }: SendContext,
  { compiled }: TemplateOf<'sms'>,
  values: Values,
  message: SmsMessage,
): void {
  const { dialect } = compiled;
  // Only GC Notify counts the prefix.
  const prefix = dialect === 'gc' ? service.sms_prefix : null;
  if (!isTooLong(prefix === null ? message : compiled.render(values, { prefix }), dialect)) return;
  const limit = maxSmsLength(dialect);
  throw invalid(`Content for template has a character count greater than the limit of ${limit}`, {
    reason: 'text_too_long',
  });
}

/** Returns the parts that are billed, including the prefix; undefined if limits count messages. */
export function partsOf(
  { country }: SendDeps,
  { service, now }: SendContext,
  { compiled }: TemplateOf<'sms'>,
  values: Values,
): number | undefined {
  if (!countsParts(country, service, 'sms', now)) return undefined;
  return compiled.render(values, { prefix: service.sms_prefix }).fragments;
}

export function refuseIfEmailIsTooLong(body: string): void {
  const bytes = Buffer.byteLength(body);
  if (bytes > maxEmailBytes) throw emailTooLong(bytes);
}

/** Runs before any placeholder is filled in. Files become links, so they do not count. */
export function countLength({ countAs }: SendContext, compiled: EmailTemplate, values: Values): void {
  const hasFiles = Object.values(values).some(isFile);
  const texts = hasFiles ? Object.fromEntries(Object.entries(values).filter(([, value]) => !isFile(value))) : values;
  const requests = requestsFor(checkLength(compiled, texts));
  if (requests > 1) countAs?.(requests);
}

export function refuseLettersOfTeamKeys({ key_type }: SendContext): void {
  if (key_type === 'team')
    throw forbidden('Cannot send letters with a team api key', { reason: 'letters_with_team_key' });
}

export function refuseLettersInTrialMode({ service, key_type }: SendContext): void {
  if (service.restricted && key_type !== 'test')
    throw forbidden('Cannot send letters when service is in trial mode', { reason: 'letters_in_trial_mode' });
}
