import type { Country } from '../../countries/country.ts';
import { exampleDocuments } from '../../documents/prepare-documents.ts';
import type { PdfThreads } from '../../letters/pdf-threads.ts';
import { draftPagePicture, drawLetterWithBrand } from '../../letters/preview/letter-draft.ts';
import type { ShownMessage } from '../../notifications/history/shown-message.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { formatSmsSender } from '../../recipients/phone-number.ts';
import { compileTemplate } from '../../rendering/template.ts';
import type { SenderDomains } from '../../sending-domains/sender-domains.ts';
import type { CompiledTemplates, ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import {
  type Composable,
  type ComposeDeps,
  composeEmail,
  composeText,
  type EmailConfig,
  renderOpenText,
  renderShortEmail,
} from '../compose-message.ts';
import type { EmailMessage, TextMessage } from '../providers/provider.ts';
import { selectSenderIdentity } from '../providers/sender-identities.sql.ts';
import type { SenderIdentity } from '../providers/sender-identities.ts';

type Deps = Platform & {
  compiledTemplates: CompiledTemplates;
  emailThreads: EmailThreads;
  senderDomains: SenderDomains;
  config: EmailConfig;
};

/** A message that was not accepted for sending. Placeholders without a value stay as they are written. */
interface PreviewedMessage {
  template: ReadyTemplate;
  recipient: string;
  personalisation: Record<string, unknown>;
  /** The sender of a text, the reply-to address of an email. */
  reply_to_text: string | null;
}

interface PreviewedText {
  sender: string;
  text: string;
  characters: number;
  parts: number;
  /** Values are missing, so the final text may have more characters and fragments. */
  is_minimum: boolean;
}

/** Renders a text as it would be handed to a provider. */
export async function previewText(
  app: Deps,
  serviceId: string,
  { template, personalisation, reply_to_text }: PreviewedMessage,
): Promise<PreviewedText> {
  const identity = await getIdentity(app, serviceId);
  const { text, character_count, fragments, is_minimum } = renderOpenText(template.compiled, personalisation, identity);
  const sender = formatSmsSender(app.country.phone, reply_to_text ?? app.config.branding.platformName);
  return { sender, text, characters: character_count, parts: fragments, is_minimum };
}

/** Renders an email as it would be handed to a provider, with example links for its files and for unsubscribing. */
export async function previewEmail(app: Deps, serviceId: string, message: PreviewedMessage): Promise<EmailMessage> {
  const { row } = message.template;
  const files = exampleDocuments(app, serviceId, { uploads: [], ofTemplate: row.email_files }).values;
  const queued = {
    ...composable({ ...message, personalisation: { ...message.personalisation, ...files } }),
    one_click_unsubscribe_url: row.has_unsubscribe_link ? `${app.config.urls.api}/unsubscribe` : null,
  };
  const identity = await withDomain(app, serviceId, await getIdentity(app, serviceId));
  return (await composeEmail(app, queued, identity, () => app.emailThreads.forRequest(serviceId))).message;
}

/** Adds the current sender domain. A provider that cannot send from it would use the installation's. */
export async function withDomain(
  { senderDomains }: { senderDomains: SenderDomains },
  serviceId: string,
  identity: SenderIdentity,
): Promise<SenderIdentity> {
  return { ...identity, from_domain: await senderDomains.nameFor(serviceId, identity) };
}

async function getIdentity({ db }: Deps, serviceId: string) {
  const identity = await selectSenderIdentity(db, serviceId);
  if (!identity) throw notFound();
  return identity;
}

function composable({
  template: { row, language },
  recipient,
  personalisation,
  reply_to_text,
}: PreviewedMessage): Composable {
  return {
    id: row.id,
    notification_type: row.template_type,
    template_id: row.id,
    template_version: row.version,
    language,
    recipient,
    normalised_recipient: null,
    personalisation,
    secret_personalisation: null,
    reply_to_text,
    international: false,
    one_click_unsubscribe_url: null,
  };
}

export type ReceivedMessage =
  | { channel: 'sms'; message: TextMessage; parts: number }
  | { channel: 'email'; message: EmailMessage }
  | { channel: 'letter' };

/** Composes an email or a text as its recipient gets it. */
export async function composeReceived(
  app: ComposeDeps & { emailThreads: EmailThreads; senderDomains: SenderDomains },
  { stored }: Pick<ShownMessage, 'stored'>,
): Promise<ReceivedMessage> {
  const service = await selectSenderIdentity(app.db, stored.service_id);
  if (!service) throw notFound();
  const tasks = () => app.emailThreads.forRequest(stored.service_id);
  switch (stored.notification_type) {
    case 'sms': {
      const { message, billable_units: parts } = await composeText(app, stored, service);
      return { channel: 'sms', message, parts };
    }
    case 'email': {
      const sender = await withDomain(app, stored.service_id, service);
      return { channel: 'email', message: (await composeEmail(app, stored, sender, tasks)).message };
    }
    case 'letter':
      return { channel: 'letter' };
  }
}

type Brand = Pick<SenderIdentity, 'brand_type' | 'colour' | 'logo' | 'text' | 'alt_text'>;

const text = `Dear Ada Lovelace,

Your appointment is on Friday 20 November at 10:15.

# What to bring

* this message
* a document with your name and address`;

/** Renders an email of an example service with this brand. */
export function previewEmailBrand(app: { config: EmailConfig }, brand: Brand): { html: string } {
  const compiled = compileTemplate({ template_type: 'email', subject: 'Your appointment', content: text });
  const service: SenderIdentity = {
    name: 'Example service',
    active: true,
    prefix_sms: false,
    api_dialect: 'govuk',
    has_opt_outs: false,
    custom_email_sender_name: null,
    email_sender_local_part: 'example.service',
    sending_domain_id: null,
    organisation_domain_id: null,
    brand_type: brand.brand_type,
    colour: brand.colour,
    logo: brand.logo,
    text: brand.text,
    alt_text: brand.alt_text,
  };
  return renderShortEmail(app, compiled, {}, service, null);
}

const letter = {
  template_type: 'letter',
  subject: 'Your appointment',
  content: text,
  contact_block: 'Example service\n1 High Street\nExample\nEX1 2AB',
} as const;
/** In the United Kingdom the picture keeps this address instead of the country's example, so that it does not change. */
const exampleInBritain = ['Ada Lovelace', '12 Any Street', 'SW1A 1AA'];

function exampleAddress({ address }: Country): Record<string, string> {
  const lines = address.rules === 'gb' ? exampleInBritain : address.example;
  return Object.fromEntries(lines.map((line, index) => [`address_line_${index + 1}`, line]));
}

/** Draws the first page of a letter with this brand as for the printer. */
export async function drawLetterBrand(
  app: Platform & { pdfThreads: PdfThreads },
  brand: { id: string; name: string },
): Promise<Uint8Array> {
  const draft = { compiled: compileTemplate(letter), personalisation: exampleAddress(app.country), attachment: null };
  if (draft.compiled.template_type !== 'letter') throw new Error('The example is a letter');
  const owner = 'letter-branding';
  const drawn = await drawLetterWithBrand(app, owner, brand, { ...draft, compiled: draft.compiled });
  return draftPagePicture(app, owner, drawn, 1);
}
