import { emailLogoUrl } from '../branding/email-logos.ts';
import type { BrandingSettings, EmailSettings } from '../branding/settings.ts';
import type { Urls } from '../platform/settings.ts';
import type { EmailBrand } from '../rendering/email/page.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { SmsMessage } from '../rendering/sms/sms.ts';
import type { CompiledTemplate, EmailPageOptions, EmailTemplate } from '../rendering/template.ts';
import { checkLength, maxShortLength, type TasksFor } from '../templates/email-threads.ts';
import type { SenderIdentity } from './providers/sender-identities.ts';

/** What a template, its values and its service make of a message. Sending and previews share it, so they cannot differ. */

export function renderText(
  compiled: CompiledTemplate,
  personalisation: Personalisation,
  service: Pick<SenderIdentity, 'name' | 'prefix_sms'>,
): SmsMessage {
  if (compiled.template_type !== 'sms') throw new Error('A text message has a template of another type');
  return compiled.render(personalisation, { prefix: service.prefix_sms ? service.name : null });
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

/** A long email is rendered in a thread. */
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
    address: `${service.email_sender_local_part}@${config.email.domain}`,
  };
}

function optionsOf({ config }: Deps, service: SenderIdentity, unsubscribe_link: string | null): EmailPageOptions {
  return { brand: brandOf(config, service), platform: { name: config.branding.platformName }, unsubscribe_link };
}

function brandOf(config: EmailConfig, { brand_type, colour, logo, text, alt_text }: SenderIdentity): EmailBrand | null {
  if (brand_type === null) return null;
  return { brand_type, colour, logo_url: emailLogoUrl(config, logo), text, alt_text };
}
