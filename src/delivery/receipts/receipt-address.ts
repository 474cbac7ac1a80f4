import type { Config } from '../../config.ts';
import { isUuid } from '../../platform/id.ts';
import { type SecretBox, sameSecret } from '../../platform/secrets/secrets.ts';

/** Gateways that sign nothing. */
type Gateway = 'mmg' | 'firetext';

/** Where the gateway sends the receipts of one message. The token in it is good for this message only. */
export function receiptAddress(
  { secrets, config }: { secrets: SecretBox; config: Pick<Config, 'BASE_URL'> },
  gateway: Gateway,
  notificationId: string,
): string {
  return `${config.BASE_URL}/notifications/sms/${gateway}?token=${tokenOf(secrets, gateway, notificationId)}`;
}

/** Whether a receipt came to the address that its message named. */
export function isReceiptToken(secrets: SecretBox, gateway: Gateway, reference: unknown, token = ''): boolean {
  return isUuid(reference) && sameSecret(token, tokenOf(secrets, gateway, reference.toLowerCase()));
}

function tokenOf(secrets: SecretBox, gateway: Gateway, notificationId: string): string {
  return secrets.digest(`receipt-${gateway}`, notificationId);
}
