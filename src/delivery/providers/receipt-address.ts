import { isUuid } from '../../platform/id.ts';
import { type SecretBox, sameSecret } from '../../platform/secrets/secrets.ts';
import * as setting from '../../platform/setting.ts';

/** For all gateways that do not sign their receipts. */
export const receiptTokens = setting.flag(
  'SMS_RECEIPT_TOKENS',
  'Accept MMG and Firetext receipts only at the per-message URL, which contains a token; false: also at the URL without a token.',
  { fallback: true },
);

/** The URL for the receipts of one message. Its token is valid for this message only. */
export function receiptAddress(
  { secrets, config }: { secrets: SecretBox; config: { urls: { api: string } } },
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
