import type { Country } from '../../countries/country.ts';
import type { PdfThreads } from '../../letters/pdf-threads.ts';
import { drawLetterDraft } from '../../letters/preview/letter-draft.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import { formatSmsSender } from '../../recipients/phone-number.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import { type NotableCharacters, smsAlphabet } from '../../rendering/sms/gsm.ts';
import { isTooLong, type SmsPreview } from '../../rendering/sms/sms.ts';
import type { CompiledTemplate } from '../../rendering/template.ts';
import type { SenderDomains } from '../../sending-domains/sender-domains.ts';
import { listLetterContacts, listReplyTos, listSmsSenders } from '../../services/senders/senders.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import { fixedTexts } from '../../templates/languages/fixed-texts.ts';
import { alphabetOfService } from '../../templates/languages/text-alphabet.ts';
import { getServiceRules } from '../../templates/template-checks.ts';
import { compileDraft, type TemplateDraft } from '../../templates/template-drafts.ts';
import { conditionWordsOf, type EmailFile, type LetterAttachment } from '../../templates/template-row.ts';
import { type EmailConfig, renderEmail, renderOpenText } from '../compose-message.ts';
import { selectSenderIdentity } from '../providers/sender-identities.sql.ts';
import { withDomain } from './previews.ts';

export type PreviewDeps = Platform & {
  config: EmailConfig;
  pdfThreads: PdfThreads;
  emailThreads: EmailThreads;
  senderDomains: SenderDomains;
};

/** A draft with the parts of its template that are not text. */
export interface PreviewedDraft extends TemplateDraft {
  /** The sender, reply-to address or contact block; null for the default of the service. */
  reply_to: string | null;
  email_files: EmailFile[];
  letter_attachment: LetterAttachment | null;
}

interface Placeholders {
  /** The placeholders of the whole draft, in order of appearance, without files. */
  placeholders: string[];
  api_dialect: ApiDialect;
  alphabet: Country['sms']['alphabet'];
}

export interface TextPreview
  extends Placeholders,
    Pick<SmsPreview, 'text' | 'encoding' | 'character_count' | 'fragments' | 'is_minimum'> {
  template_type: 'sms';
  sender: string;
  is_too_long: boolean;
  notable: NotableCharacters;
  /** Set if Welsh letters are the only ones kept of those that the alphabet lacks. */
  keeps_welsh: boolean;
}

export interface EmailPreview extends Placeholders {
  template_type: 'email';
  from: { name: string; address: string };
  reply_to: string | null;
  subject: string;
  text: string;
  html: string;
}

export interface LetterPreview extends Placeholders {
  template_type: 'letter';
  pdf: Uint8Array;
  page_count: number;
  is_too_long: boolean;
}

export type DraftPreview = TextPreview | EmailPreview | LetterPreview;

/** Renders the draft as for sending, with unfilled placeholders left in it. */
export async function previewDraft(
  app: PreviewDeps,
  serviceId: string,
  draft: PreviewedDraft,
  personalisation: Personalisation,
): Promise<DraftPreview> {
  const service = await selectSenderIdentity(app.db, serviceId);
  if (!service) throw notFound();
  const sender = await selectedSender(app, serviceId, draft);
  const { api_dialect } = service;
  const alphabet = alphabetOfService(app.country, await getServiceRules(app.db, serviceId));
  const contactBlock = draft.template_type === 'letter' ? sender : null;
  const texts = [draft.subject, draft.content, draft.letter_welsh_content];
  const tags = draft.language === undefined ? null : { default: draft.language, variants: [] };
  const fixed = {
    ...fixedTexts(app.languages, draft, draft.language),
    ...conditionWordsOf(app.country, texts, tags),
  };
  const compiled = compileDraft(draft, contactBlock, alphabet, api_dialect, fixed);
  const known = { placeholders: placeholdersOf(compiled, draft), api_dialect, alphabet };
  switch (compiled.template_type) {
    case 'sms': {
      const message = renderOpenText(compiled, personalisation, service);
      return {
        template_type: 'sms',
        ...known,
        sender: formatSmsSender(app.country.phone, sender ?? app.config.branding.platformName),
        ...message,
        is_too_long: isTooLong(message, api_dialect),
        notable: smsAlphabet(alphabet, api_dialect).notable(draft.content),
        keeps_welsh: alphabet === 'gsm-welsh',
      };
    }
    case 'email': {
      const link = draft.has_unsubscribe_link ? `${app.config.urls.api}/unsubscribe/example` : null;
      const values = { ...personalisation, ...fileLinks(app, serviceId, draft.email_files) };
      const email = await renderEmail(
        app,
        () => app.emailThreads.forRequest(serviceId),
        compiled,
        values,
        await withDomain(app, serviceId, service),
        link,
      );
      return { template_type: 'email', ...known, reply_to: sender, ...email };
    }
    case 'letter': {
      const letter = { compiled, personalisation, attachment: draft.letter_attachment };
      return { template_type: 'letter', ...known, ...(await drawLetterDraft(app, serviceId, letter)) };
    }
  }
}

function placeholdersOf({ placeholders }: CompiledTemplate, { email_files }: PreviewedDraft): string[] {
  const files = new Set(email_files.map(({ filename }) => filename));
  return placeholders.filter((name) => !files.has(name));
}

/** In a sent message each link is unique; these are examples that open no file. */
function fileLinks({ config }: PreviewDeps, serviceId: string, files: EmailFile[]): Record<string, string> {
  const url = `${config.urls.api}/services/${serviceId}/documents/test-document`;
  return Object.fromEntries(
    files.map(({ filename, link_text }) => [filename, link_text ? `[${link_text}](${url})` : url]),
  );
}

/** Returns the chosen sender, or the default. A letter has no default. */
async function selectedSender(app: PreviewDeps, serviceId: string, draft: PreviewedDraft): Promise<string | null> {
  const isChosen = ({ id }: { id: string }) => id === draft.reply_to;
  const list: Record<Channel, () => Promise<string | null>> = {
    sms: async () => {
      const senders = await listSmsSenders(app.db, serviceId);
      return (senders.find(isChosen) ?? senders.find(({ is_default }) => is_default))?.sms_sender ?? null;
    },
    email: async () => {
      const addresses = await listReplyTos(app.db, serviceId);
      return (addresses.find(isChosen) ?? addresses.find(({ is_default }) => is_default))?.email_address ?? null;
    },
    letter: async () => {
      const contacts = await listLetterContacts(app.db, serviceId);
      return contacts.find(isChosen)?.contact_block ?? null;
    },
  };
  return list[draft.template_type]();
}
