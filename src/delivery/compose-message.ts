import type { Config } from '../config.ts';
import type { QueuedNotification } from '../notifications/queue/delivery-queue.ts';
import { valuesOf } from '../notifications/sending/secret-values.ts';
import type { Platform } from '../platform/platform.ts';
import { formatSmsSender } from '../recipients/phone-number.ts';
import type { EmailBrand } from '../rendering/email/page.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import type { SenderIdentity } from './providers/sender-identities.ts';

export type ComposeDeps = Pick<Platform, 'secrets'> & {
  compiledTemplates: CompiledTemplates;
  config: Pick<Config, 'email' | 'branding'>;
};

/** What a message is composed of: one that waits for delivery, or one that is only previewed. */
export type Composable = Pick<
  QueuedNotification,
  | 'id'
  | 'notification_type'
  | 'template_id'
  | 'template_version'
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
  /** The cost in text message fragments. */
  billable_units: number;
}

export async function composeText(
  app: ComposeDeps,
  queued: Composable,
  service: SenderIdentity,
): Promise<Composed<TextMessage>> {
  const { compiled } = await getTemplateForDelivery(app, queued);
  if (compiled.template_type !== 'sms') throw new Error('A text message has a template of another type');
  const prefix = service.prefix_sms ? service.name : null;
  const { text, encoding, fragments } = compiled.render(valuesOf(app, queued), { prefix });
  return {
    message: {
      reference: queued.id,
      to: queued.normalised_recipient ?? queued.recipient,
      sender: formatSmsSender(queued.reply_to_text ?? app.config.branding.platformName),
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
): Promise<Composed<EmailMessage>> {
  const { compiled, row } = await getTemplateForDelivery(app, queued);
  if (compiled.template_type !== 'email') throw new Error('An email has a template of another type');
  const { one_click_unsubscribe_url: unsubscribe_url } = queued;
  const personalisation = valuesOf(app, queued);
  // The header is for mail clients; a template can also show the link in the body.
  const unsubscribe_link = row.has_unsubscribe_link ? unsubscribe_url : null;
  return {
    message: {
      reference: queued.id,
      to: queued.normalised_recipient ?? queued.recipient,
      from: {
        name: service.custom_email_sender_name ?? service.name,
        address: `${service.email_sender_local_part}@${app.config.email.domain}`,
      },
      reply_to: queued.reply_to_text,
      ...compiled.message(personalisation, {
        brand: brandOf(service, app.config.branding.logoBaseUrl),
        platform: { name: app.config.branding.platformName },
        unsubscribe_link,
      }),
      unsubscribe_url,
    },
    billable_units: 0,
  };
}

function brandOf({ brand_type, colour, logo, text, alt_text }: SenderIdentity, logos?: string): EmailBrand | null {
  if (brand_type === null) return null;
  return { brand_type, colour, logo_url: logoUrl(logo, logos), text, alt_text };
}

/** A logo is a full URL or a file name under LOGO_BASE_URL. */
function logoUrl(logo: string | null, base: string | undefined): string | null {
  if (!logo) return null;
  if (/^https?:\/\//i.test(logo)) return logo;
  return base ? `${base}/${encodeURI(logo.replace(/^\/+/, ''))}` : null;
}
