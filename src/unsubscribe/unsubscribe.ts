import { day_ms, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { canonicalId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { recordSuppressions } from '../services/suppression/suppression-list.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { insertUnsubscribeRequest } from './unsubscribe-reports.sql.ts';

const purpose = 'unsubscribe';
const validFor_ms = 365 * day_ms;

/** The content of a link. It is self-contained, because the message is deleted long before the link expires. */
interface Subscription {
  notification_id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  email_address: string;
  issued_at: number;
  /** The language of the email, if its template has several. */
  language?: string;
}

export function unsubscribeUrl(
  app: Platform & { config: { urls: Urls } },
  message: {
    id: string;
    address: string;
    template: Pick<TemplateRow, 'id' | 'version' | 'service'>;
    language?: string | null;
  },
): string {
  const subscription: Subscription = {
    notification_id: message.id,
    service_id: message.template.service,
    template_id: message.template.id,
    template_version: message.template.version,
    email_address: message.address,
    issued_at: app.clock.now().getTime(),
  };
  if (message.language) subscription.language = message.language;
  const token = app.secrets.encrypt(purpose, JSON.stringify(subscription));
  return `${app.config.urls.api}/unsubscribe/${message.id}/${token}`;
}

function readToken(app: Platform, token: string): Subscription | undefined {
  const text = app.secrets.decrypt(purpose, token);
  return text && JSON.parse(text.toString());
}

function isValid(app: Platform, notificationId: string, { notification_id, issued_at }: Subscription): boolean {
  return notification_id === canonicalId(notificationId) && app.clock.now().getTime() <= issued_at + validFor_ms;
}

export function findSubscription(app: Platform, notificationId: string, token: string): Subscription | undefined {
  const subscription = readToken(app, token);
  return subscription && isValid(app, notificationId, subscription) ? subscription : undefined;
}

/** Idempotent: mail clients may send the request twice. */
export async function recordUnsubscribe(app: Platform, notificationId: string, token: string): Promise<void> {
  const read = readToken(app, token);
  if (!read) throw refused('This is not a valid unsubscribe link.');
  if (!isValid(app, notificationId, read)) throw refused('This unsubscribe link is invalid or expired.');
  const { issued_at: _, language: __, ...subscription } = read;
  const now = app.clock.now();
  const { service_id, notification_id, email_address } = subscription;
  await inTransaction(app.db, async (tx) => {
    await insertUnsubscribeRequest(tx, { id: newId(now), created_at: timestamp(now), ...subscription });
    await recordSuppressions(app, tx, [{ service_id, notification_id, email_address, reason: 'unsubscribe' }], now);
  });
}

function refused(text: string): Failure {
  return new Failure('not-found', 'NotFoundError', { 'unsubscribe request': text });
}
