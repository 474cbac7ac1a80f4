import { emailLogoUrl } from '../branding/email-logos.ts';
import type { BrandingSettings, EmailSettings } from '../branding/settings.ts';
import type { QueuedNotification } from '../notifications/queue/leases.shared.sql.ts';
import { keptHeadersOf, ownMailHeader, ownMailMark } from '../notifications/sending/over-smtp.ts';
import { valuesOf } from '../notifications/sending/secret-values.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { withoutHiddenCharacters } from '../protocol/hidden-characters.ts';
import { formatSmsSender } from '../recipients/phone-number.ts';
import type { EmailBrand } from '../rendering/email/page.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { SmsMessage, SmsOptions, SmsPreview } from '../rendering/sms/sms.ts';
import type { CompiledTemplate, EmailPageOptions, EmailTemplate } from '../rendering/template.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import { checkLength, maxShortLength, type TasksFor } from '../templates/email-threads.ts';
import { platformServiceId } from '../users/platform-user.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import type { SenderIdentity } from './providers/sender-identities.ts';

export type ComposeDeps = Platform & {
  compiledTemplates: CompiledTemplates;
  config: EmailConfig;
};

/** The fields that a message is composed from, whether it waits for delivery or is only previewed. */
export type Composable = Pick<
  QueuedNotification,
  | 'id'
  | 'notification_type'
  | 'template_id'
  | 'template_version'
  | 'language'
  | 'recipient'
  | 'normalised_recipient'
  | 'personalisation'
  | 'secret_personalisation'
  | 'reply_to_text'
  | 'international'
  | 'one_click_unsubscribe_url'
>;

export interface Composed<Message> {
  message: Message;
  /** The cost in fragments of a text message. */
  billable_units: number;
}

export async function composeText(
  app: ComposeDeps,
  queued: Composable,
  service: SenderIdentity,
): Promise<Composed<TextMessage>> {
  const { compiled } = await getTemplateForDelivery(app, queued);
  const { text, encoding, fragments } = renderText(compiled, valuesOf(app, queued), service);
  return {
    message: {
      reference: queued.id,
      to: queued.normalised_recipient ?? queued.recipient,
      sender: formatSmsSender(app.country.phone, queued.reply_to_text ?? app.config.branding.platformName),
      text,
      encoding,
      international: queued.international,
    },
    billable_units: fragments,
  };
}

export async function composeEmail(
  app: ComposeDeps,
  queued: Composable,
  service: SenderIdentity,
  tasksFor: TasksFor,
): Promise<Composed<EmailMessage>> {
  const { compiled, row } = await getTemplateForDelivery(app, queued);
  const { one_click_unsubscribe_url: unsubscribe_url } = queued;
  // The header is for mail clients; a template can also show the link in the body.
  const unsubscribe_link = row.has_unsubscribe_link ? unsubscribe_url : null;
  const rendered = await renderEmail(app, tasksFor, compiled, valuesOf(app, queued), service, unsubscribe_link);
  return {
    message: {
      reference: queued.id,
      to: queued.normalised_recipient ?? queued.recipient,
      reply_to: queued.reply_to_text,
      ...rendered,
      subject: subjectOf(row.service, rendered),
      unsubscribe_url,
      headers: headersOf(app, queued),
    },
    billable_units: 0,
  };
}

/**
 * Removes hidden characters, because a mail client shows the subject beside the name of the sender. Zero-width spaces stay: rendering puts
 * them into what must not become a link. In messages to accounts, isolates keep the order of the sentence.
 */
function subjectOf(serviceId: string, { subject }: { subject: string }): string {
  return serviceId === platformServiceId ? subject : subject.replaceAll(/[^\u200B]+/g, withoutHiddenCharacters);
}

function headersOf({ secrets }: Platform, { id, personalisation }: Composable): EmailMessage['headers'] {
  const kept = keptHeadersOf(personalisation);
  return kept && { ...kept, [ownMailHeader]: ownMailMark(secrets, id) };
}

/** Composes messages from a template, its values and its service. Sending and previews share this code, so they cannot differ. */

function renderText(
  compiled: CompiledTemplate,
  personalisation: Personalisation,
  service: Pick<SenderIdentity, 'name' | 'prefix_sms'>,
): SmsMessage {
  return asText(compiled).render(personalisation, prefixOf(service));
}

/** Renders a text whose values are not complete yet. */
export function renderOpenText(
  compiled: CompiledTemplate,
  personalisation: Personalisation,
  service: Pick<SenderIdentity, 'name' | 'prefix_sms'>,
): SmsPreview {
  return asText(compiled).preview(personalisation, prefixOf(service));
}

function asText(compiled: CompiledTemplate) {
  if (compiled.template_type !== 'sms') throw new Error('A text message has a template of another type');
  return compiled;
}

function prefixOf({ name, prefix_sms }: Pick<SenderIdentity, 'name' | 'prefix_sms'>): SmsOptions {
  return { prefix: prefix_sms ? name : null };
}

/** The settings that an email is rendered with. */
export interface EmailConfig {
  urls: Urls;
  email: EmailSettings;
  branding: BrandingSettings;
}

interface Deps {
  config: EmailConfig;
}

/** Renders long emails in a thread. */
export async function renderEmail(
  app: Deps,
  tasksFor: TasksFor,
  compiled: CompiledTemplate,
  personalisation: Personalisation,
  service: SenderIdentity,
  unsubscribe_link: string | null,
) {
  if (compiled.template_type !== 'email') throw new Error('An email has a template of another type');
  const length = checkLength(compiled, personalisation);
  if (length <= maxShortLength) {
    return renderShortEmail(app, compiled, personalisation, service, unsubscribe_link);
  }
  const options = optionsOf(app, service, unsubscribe_link);
  const rendered = await tasksFor(length).run('renderMessage', compiled.source, personalisation, options);
  return { from: fromOf(app, service), ...rendered };
}

export function renderShortEmail(
  app: Deps,
  compiled: EmailTemplate,
  personalisation: Personalisation,
  service: SenderIdentity,
  unsubscribe_link: string | null,
) {
  const rendered = compiled.message(personalisation, optionsOf(app, service, unsubscribe_link));
  return { from: fromOf(app, service), ...rendered };
}

function fromOf({ config }: Deps, service: SenderIdentity) {
  return {
    name: service.custom_email_sender_name ?? service.name,
    address: `${service.email_sender_local_part}@${service.from_domain ?? config.email.domain}`,
  };
}

function optionsOf({ config }: Deps, service: SenderIdentity, unsubscribe_link: string | null): EmailPageOptions {
  return { brand: brandOf(config, service), platform: { name: config.branding.platformName }, unsubscribe_link };
}

function brandOf(config: EmailConfig, { brand_type, colour, logo, text, alt_text }: SenderIdentity): EmailBrand | null {
  if (brand_type === null) return null;
  return { brand_type, colour, logo_url: emailLogoUrl(config, logo), text, alt_text };
}
