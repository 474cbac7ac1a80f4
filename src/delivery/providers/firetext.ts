import type { Config } from '../../config.ts';
import type { SecretBox } from '../../platform/secrets/secrets.ts';
import { receiptAddress } from '../receipts/receipt-address.ts';
import { ProviderHttpClient, retryOf } from './http-client.ts';
import { plainText } from './plain-text.ts';
import type { Outcome, Provider, Receipt, ReceiptStatus, TextMessage } from './provider.ts';
import { londonTime } from './provider-times.ts';

interface Deps {
  secrets: SecretBox;
  config: Pick<Config, 'FIRETEXT_URL' | 'FIRETEXT_API_KEY' | 'BASE_URL' | 'DELIVERY_CONCURRENCY'>;
}

export function firetext(app: Deps): Provider<TextMessage> {
  const { config } = app;
  const http = new ProviderHttpClient(config);
  return {
    name: 'firetext',
    close: () => http.close(),
    async check() {
      // Firetext has no free request that would check the key.
      await http.ping(config.FIRETEXT_URL);
    },
    async send({ reference, to, sender, text, encoding }) {
      const form = new URLSearchParams({
        apiKey: config.FIRETEXT_API_KEY ?? '',
        from: sender,
        to,
        message: text,
        reference,
        receipt: receiptAddress(app, 'firetext', reference),
        ...(encoding === 'ucs2' ? { unicode: '1' } : {}),
      });
      const called = await http.post(
        config.FIRETEXT_URL,
        { 'content-type': 'application/x-www-form-urlencoded' },
        form.toString(),
      );
      if ('failed' in called) return called.failed;
      const { status, json } = called.response;
      if (status >= 300 || json?.code === undefined) return retryOf(called.response);
      return outcomeOf(Number(json.code));
    },
  };
}

/** Firetext always responds with 200; the code in the body is the result. */
function outcomeOf(code: number): Outcome {
  if (code === 0) return { kind: 'accepted' };
  // The number itself is rejected, so a retry is useless.
  if (code === 2) return { kind: 'refused', reason: 'code 2: destination', status: 'technical-failure' };
  return { kind: 'retry', reason: `code ${code}` };
}

const permanent = new Set(['101', '201', '301', '401']);
const temporary = new Set(['000', '102', '103', '104', '302', '900']);

interface FiretextReceiptBody {
  status?: unknown;
  reference?: unknown;
  code?: unknown;
  time?: unknown;
}

export function firetextReceipt({ status, reference, code, time }: FiretextReceiptBody, proven: boolean): Receipt {
  return {
    provider: 'firetext',
    proven,
    notification_type: 'sms',
    reference: plainText(reference),
    at: londonTime(time),
    statusFor(notification): ReceiptStatus {
      switch (plainText(status)) {
        case '0':
          return 'delivered';
        case '1':
          return failureOf(code, notification);
        case '2':
          return 'pending';
        default:
          return 'technical-failure';
      }
    },
  };
}

/** Without a known code, a pending message may still arrive. */
function failureOf(code: unknown, { status }: { status: string }): ReceiptStatus {
  if (permanent.has(plainText(code))) return 'permanent-failure';
  if (temporary.has(plainText(code))) return 'temporary-failure';
  return status === 'pending' ? 'temporary-failure' : 'permanent-failure';
}
