import type { ShownMessage } from '../notifications/history/shown-message.ts';
import { notFound } from '../platform/failure.ts';
import type { EmailThreads } from '../templates/email-threads.ts';
import { type ComposeDeps, composeEmail, composeText } from './compose-message.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import { selectSenderIdentity } from './providers/sender-identities.sql.ts';

export type ReceivedMessage =
  | { channel: 'sms'; message: TextMessage }
  | { channel: 'email'; message: EmailMessage }
  | { channel: 'letter' };

/** An email or a text as its recipient gets it, composed as for the provider. */
export async function composeReceived(
  app: ComposeDeps & { emailThreads: EmailThreads },
  { stored }: Pick<ShownMessage, 'stored'>,
): Promise<ReceivedMessage> {
  const service = await selectSenderIdentity(app.db, stored.service_id);
  if (!service) throw notFound();
  const tasks = () => app.emailThreads.forRequest(stored.service_id);
  switch (stored.notification_type) {
    case 'sms':
      return { channel: 'sms', message: (await composeText(app, stored, service)).message };
    case 'email':
      return { channel: 'email', message: (await composeEmail(app, stored, service, tasks)).message };
    case 'letter':
      return { channel: 'letter' };
  }
}
