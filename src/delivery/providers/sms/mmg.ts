import { type Static, Type } from 'typebox';
import type { Http } from '../../../platform/http/surface.ts';
import * as setting from '../../../platform/setting.ts';
import { adminErrors } from '../../../protocol/error-bodies.ts';
import type { InboundDeps, ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Provider, TextMessage } from '../provider.ts';
import type { Receipt, ReceiptStatus } from '../reports.ts';
import {
  Anything,
  isAuthentic,
  londonTime,
  missingFields,
  PhoneNumber,
  plainText,
  ReceiptToken,
  receiptAddress,
  receiptResponses,
  refuseUnlessGateway,
  utcTime,
} from '../webhooks.ts';

const settings = {
  url: setting.url('MMG_URL', 'MMG endpoint for sending text messages.', {
    fallback: 'https://api.mmg.co.uk/jsonv2a/api.php',
  }),
  apiKey: setting.optionalText('MMG_API_KEY', 'API key of the MMG account.', { secret: true }),
  inboundAuth: setting.optionalText(
    'MMG_INBOUND_AUTH',
    '`user:password` that MMG sends with received text messages. Unset: they are rejected.',
    { secret: true },
  ),
};

export const mmg = {
  name: 'mmg' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c01',
    display_name: 'MMG',
    priority: 51,
    supports_international: true,
  },
  settings,
  required: ['apiKey'],
  open,
  receipts,
  inbound,
} satisfies SmsDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  return {
    name: 'mmg',
    close: () => http.close(),
    async check() {
      // MMG has no free request that checks the key.
      await http.ping(app.settings.url);
    },
    async send({ reference, to, sender, text }) {
      const called = await http.request(
        app.settings.url,
        { 'content-type': 'application/json', authorization: `Basic ${app.settings.apiKey}` },
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
      // The JSON response has MMG's own reference, but receipts contain ours.
      if (status < 300 && json && !('Error' in json)) return { kind: 'accepted' };
      if (status < 300 && json) return { kind: 'retry', reason: `error ${String(json.Error).slice(0, 100)}` };
      return retryOf(called.response);
    },
  };
}

const ReceiptBody = Type.Object({ status: Anything, CID: Anything, substatus: Anything, deliverytime: Anything });

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/mmg',
    {
      schema: {
        summary: 'Delivery receipt from MMG',
        querystring: ReceiptToken,
        body: ReceiptBody,
        response: receiptResponses,
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['status', 'CID'], 'MMG');
      if (missing) return reply.code(400).send(missing);
      await app.recordReceipt(receiptOf(body, isAuthentic(app, 'mmg', body.CID, query.token)));
      return { result: 'success' as const };
    },
  );
}

const statuses = new Map<string, ReceiptStatus>([
  ['2', 'permanent-failure'],
  ['3', 'delivered'],
  ['4', 'temporary-failure'],
  ['5', 'permanent-failure'],
]);

function receiptOf({ status, substatus, CID, deliverytime }: Static<typeof ReceiptBody>, proven: boolean): Receipt {
  const outcome = statuses.get(plainText(status)) ?? 'technical-failure';
  return {
    provider: 'mmg',
    proven,
    notification_type: 'sms',
    reference: plainText(CID),
    reason: `status ${plainText(status)}${substatus === undefined ? '' : `, substatus ${plainText(substatus)}`}`,
    statusFor: () => outcome,
    at: londonTime(deliverytime),
  };
}

function inbound(http: Http, app: InboundDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/receive/mmg',
    {
      schema: {
        summary: 'Inbound text from MMG (basic authentication)',
        body: Type.Object({
          MSISDN: PhoneNumber,
          Number: PhoneNumber,
          Message: Type.String({ description: 'URL-encoded' }),
          ID: Type.Optional(Type.Unknown()),
          DateRecieved: Type.Optional(Type.Unknown({ description: 'URL-encoded, UTC' })),
        }),
        response: { 200: Type.Unsafe<{ status: 'ok' } | 'RECEIVED'>({}), 401: adminErrors.errorSchema },
      },
      onRequest: async ({ headers }) => refuseUnlessGateway(headers.authorization, app.settings.inboundAuth),
    },
    async ({ body }, reply) => {
      const received = await app.receiveText({
        provider: 'mmg',
        from: plainText(body.MSISDN),
        to: plainText(body.Number),
        content: decoded(body.Message),
        received_at: utcTime(typeof body.DateRecieved === 'string' ? decoded(body.DateRecieved) : undefined),
        reference: typeof body.ID === 'string' ? body.ID : undefined,
      });
      return received ? { status: 'ok' as const } : reply.type('text/plain').serializer(String).send('RECEIVED');
    },
  );
}

/** Decodes form data, where a plus is a space. Malformed input is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
