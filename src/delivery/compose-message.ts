import type { QueuedNotification } from '../notifications/queue/delivery-queue.ts';
import { valuesOf } from '../notifications/sending/secret-values.ts';
import type { Platform } from '../platform/platform.ts';
import { formatSmsSender } from '../recipients/phone-number.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import type { TasksFor } from '../templates/email-threads.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import type { SenderIdentity } from './providers/sender-identities.ts';
import { type EmailConfig, renderEmail, renderText } from './render-message.ts';

export type ComposeDeps = Platform & {
  compiledTemplates: CompiledTemplates;
  config: EmailConfig;
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
  const { text, encoding, fragments } = renderText(compiled, valuesOf(app, queued), service);
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
  tasksFor: TasksFor,
): Promise<Composed<EmailMessage>> {
  const { compiled, row } = await getTemplateForDelivery(app, queued);
  const { one_click_unsubscribe_url: unsubscribe_url } = queued;
  // The header is for mail clients; a template can also show the link in the body.
  const unsubscribe_link = row.has_unsubscribe_link ? unsubscribe_url : null;
  return {
    message: {
      reference: queued.id,
      to: queued.normalised_recipient ?? queued.recipient,
      reply_to: queued.reply_to_text,
      ...(await renderEmail(app, tasksFor, compiled, valuesOf(app, queued), service, unsubscribe_link)),
      unsubscribe_url,
    },
    billable_units: 0,
  };
}
