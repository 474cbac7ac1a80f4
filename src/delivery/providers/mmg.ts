import type { Config } from '../../config.ts';
import type { SecretBox } from '../../platform/secrets/secrets.ts';
import { receiptAddress } from '../receipts/receipt-address.ts';
import { ProviderHttpClient, retryOf } from './http-client.ts';
import { plainText } from './plain-text.ts';
import type { Provider, Receipt, ReceiptStatus, TextMessage } from './provider.ts';
import { londonTime } from './provider-times.ts';

interface Deps {
  secrets: SecretBox;
  config: Pick<Config, 'MMG_URL' | 'MMG_API_KEY' | 'BASE_URL' | 'DELIVERY_CONCURRENCY'>;
}

export function mmg(app: Deps): Provider<TextMessage> {
  const { config } = app;
  const http = new ProviderHttpClient(config);
  return {
    name: 'mmg',
    close: () => http.close(),
    async check() {
      // MMG has no free request that would check the key.
      await http.ping(config.MMG_URL);
    },
    async send({ reference, to, sender, text }) {
      const called = await http.post(
        config.MMG_URL,
        { 'content-type': 'application/json', authorization: `Basic ${config.MMG_API_KEY}` },
        JSON.stringify({
          reqType: 'BULK',
          MSISDN: to,
          msg: text,
          sender,
          cid: reference,
          multi: true,
          delurl: receiptAddress(app, 'mmg', reference),
        }),
      );
      if ('failed' in called) return called.failed;
      const { status, json } = called.response;
      // The JSON response has MMG's own reference; receipts contain ours.
      if (status < 300 && json && !('Error' in json)) return { kind: 'accepted' };
      if (status < 300 && json) return { kind: 'retry', reason: `error ${String(json.Error).slice(0, 100)}` };
      return retryOf(called.response);
    },
  };
}

const statuses = new Map<string, ReceiptStatus>([
  ['2', 'permanent-failure'],
  ['3', 'delivered'],
  ['4', 'temporary-failure'],
  ['5', 'permanent-failure'],
]);

interface MmgReceiptBody {
  status?: unknown;
  CID?: unknown;
  deliverytime?: unknown;
}

export function mmgReceipt({ status, CID, deliverytime }: MmgReceiptBody, proven: boolean): Receipt {
  const outcome = statuses.get(plainText(status)) ?? 'technical-failure';
  return {
    provider: 'mmg',
    proven,
    notification_type: 'sms',
    reference: plainText(CID),
    statusFor: () => outcome,
    at: londonTime(deliverytime),
  };
}
