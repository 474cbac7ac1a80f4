import type { Config } from '../../config.ts';
import { isUuid } from '../../platform/id.ts';
import { type SecretBox, sameSecret } from '../../platform/secrets/secrets.ts';

/** Gateways that do not sign their receipts. */
type Gateway = 'mmg' | 'firetext';

/** The URL for the receipts of one message. Its token is valid for this message only. */
export function receiptAddress(
  { secrets, config }: { secrets: SecretBox; config: Pick<Config, 'BASE_URL'> },
  gateway: Gateway,
  notificationId: string,
): string {
  return `${config.BASE_URL}/notifications/sms/${gateway}?token=${tokenOf(secrets, gateway, notificationId)}`;
}

/** Whether a receipt came to the URL of its message. */
export function isReceiptToken(secrets: SecretBox, gateway: Gateway, reference: unknown, token = ''): boolean {
  return isUuid(reference) && sameSecret(token, tokenOf(secrets, gateway, reference.toLowerCase()));
}

function tokenOf(secrets: SecretBox, gateway: Gateway, notificationId: string): string {
  return secrets.digest(`receipt-${gateway}`, notificationId);
}
