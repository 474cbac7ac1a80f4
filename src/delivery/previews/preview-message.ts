import { exampleDocuments } from '../../documents/prepare-documents.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CompiledTemplates, ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import { type Composable, composeEmail, composeText } from '../compose-message.ts';
import type { EmailMessage, TextMessage } from '../providers/provider.ts';
import { selectSenderIdentity } from '../providers/sender-identities.sql.ts';
import type { EmailConfig } from '../render-message.ts';

type Deps = Platform & {
  compiledTemplates: CompiledTemplates;
  emailThreads: EmailThreads;
  config: EmailConfig;
};

/** A message that nobody has accepted. Placeholders without a value stay as they are written. */
interface PreviewedMessage {
  template: ReadyTemplate;
  recipient: string;
  personalisation: Record<string, unknown>;
  /** The sender of a text, the reply-to address of an email. */
  reply_to_text: string | null;
}

/** A text as it would be handed to a provider. */
export async function previewText(
  app: Deps,
  serviceId: string,
  message: PreviewedMessage,
): Promise<TextMessage & { parts: number }> {
  const { message: composed, billable_units } = await composeText(
    app,
    composable(message),
    await getIdentity(app, serviceId),
  );
  return { ...composed, parts: billable_units };
}

/** An email as it would be handed to a provider; links to its files and for unsubscribing lead nowhere. */
export async function previewEmail(app: Deps, serviceId: string, message: PreviewedMessage): Promise<EmailMessage> {
  const { row } = message.template;
  const files = exampleDocuments(app, serviceId, { uploads: [], ofTemplate: row.email_files }).values;
  const queued = {
    ...composable({ ...message, personalisation: { ...message.personalisation, ...files } }),
    one_click_unsubscribe_url: row.has_unsubscribe_link ? `${app.config.urls.api}/unsubscribe` : null,
  };
  const identity = await getIdentity(app, serviceId);
  return (await composeEmail(app, queued, identity, () => app.emailThreads.forRequest(serviceId))).message;
}

async function getIdentity({ db }: Deps, serviceId: string) {
  const identity = await selectSenderIdentity(db, serviceId);
  if (!identity) throw notFound();
  return identity;
}

function composable({ template: { row }, recipient, personalisation, reply_to_text }: PreviewedMessage): Composable {
  return {
    id: row.id,
    notification_type: row.template_type,
    template_id: row.id,
    template_version: row.version,
    recipient,
    normalised_recipient: null,
    personalisation,
    secret_personalisation: null,
    reply_to_text,
    international: false,
    one_click_unsubscribe_url: null,
  };
}
