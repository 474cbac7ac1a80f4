import { isUuid } from '../../platform/id.ts';
import { type SecretBox, sameSecret } from '../../platform/secrets/secrets.ts';
import type { Urls } from '../../platform/settings.ts';

/** The URL for the receipts of one message. Its token is valid for this message only. */
export function receiptAddress(
  { secrets, config }: { secrets: SecretBox; config: { urls: Urls } },
  gateway: string,
  notificationId: string,
): string {
  return `${config.urls.api}/notifications/sms/${gateway}?token=${tokenOf(secrets, gateway, notificationId)}`;
}

/** Whether a receipt came to the URL of its message. */
export function isReceiptToken(secrets: SecretBox, gateway: string, reference: unknown, token = ''): boolean {
  return isUuid(reference) && sameSecret(token, tokenOf(secrets, gateway, reference.toLowerCase()));
}

function tokenOf(secrets: SecretBox, gateway: string, notificationId: string): string {
  return secrets.digest(`receipt-${gateway}`, notificationId);
}
