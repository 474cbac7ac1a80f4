import type { ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { ProviderHttpClient } from '../http-client.ts';
import type { Provider, TextMessage } from '../provider.ts';
import { type EarlyReceipt, recordOrRetry } from '../reports.ts';
import { receiptAddress } from '../webhooks.ts';
import { settings } from './gateway-schema.ts';
import { problemsOfGateway, readGateway } from './read-gateway.ts';
import { headersOf, sendRequest } from './send-request.ts';
import { inboundRoutes, receiptRoutes } from './webhooks.ts';

/** Any SMS gateway with an HTTP API that a file describes. */
export const httpsms = {
  name: 'httpsms' as const,
  channel: 'sms',
  details: {
    id: '8d0f5f7e-0f53-4d8b-9a1b-4c0f6f0b3c77',
    display_name: 'HTTP gateway',
    priority: 50,
    supports_international: true,
  },
  settings,
  required: ['file'],
  problems: problemsOfGateway,
  guide: 'generic-http',
  open,
  receipts: receiptRoutes,
  inbound: inboundRoutes,
  retryReceipt: (app: ReceiptDeps<typeof settings>, event) => recordOrRetry(app, 'httpsms', event as EarlyReceipt),
} satisfies SmsDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const described = readGateway(app.settings);
  if (!described) throw new Error('HTTPSMS_GATEWAY is not set');
  const { gateway, secrets } = described;
  return {
    name: 'httpsms',
    close: () => http.close(),
    async check() {
      const values = new Map(Array.from(secrets, ([name, secret]) => [`secret.${name}`, secret]));
      const url = gateway.check?.url ?? new URL(gateway.request.url).origin;
      const { status } = await http.ping(url, gateway.check ? headersOf(gateway, values) : {});
      if (gateway.check && (status === 401 || status === 403)) {
        throw new Error(`it responded with ${status}: correct HTTPSMS_SECRETS`);
      }
    },
    send: (message) => sendRequest(http, described, message, receiptAddress(app, 'httpsms', message.reference)),
  };
}
