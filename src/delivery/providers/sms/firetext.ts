import { type Static, Type } from 'typebox';
import type { Http } from '../../../platform/http/surface.ts';
import * as setting from '../../../platform/setting.ts';
import { adminErrors } from '../../../protocol/error-bodies.ts';
import type { InboundDeps, ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Outcome, Provider, TextMessage } from '../provider.ts';
import type { Receipt, ReceiptStatus } from '../reports.ts';
import {
  Anything,
  InboundOk,
  isAuthentic,
  londonTime,
  missingFields,
  PhoneNumber,
  plainText,
  ReceiptToken,
  receiptAddress,
  receiptResponses,
  refuseUnlessGateway,
} from '../webhooks.ts';

const settings = {
  url: setting.url('FIRETEXT_URL', 'Firetext endpoint for sending text messages.', {
    fallback: 'https://www.firetext.co.uk/api/sendsms/json',
  }),
  apiKey: setting.optionalText('FIRETEXT_API_KEY', 'API key of the Firetext account.', { secret: true }),
  inboundAuth: setting.optionalText(
    'FIRETEXT_INBOUND_AUTH',
    '`user:password` that Firetext sends with received text messages. Unset: they are rejected.',
    { secret: true },
  ),
};

export const firetext = {
  name: 'firetext' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c02',
    display_name: 'Firetext',
    priority: 49,
    supports_international: false,
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
    name: 'firetext',
    close: () => http.close(),
    async check() {
      // Firetext has no free request that checks the key.
      await http.ping(app.settings.url);
    },
    async send({ reference, to, sender, text, encoding }) {
      const form = new URLSearchParams({
        apiKey: app.settings.apiKey ?? '',
        from: sender,
        to,
        message: text,
        reference,
        receipt: receiptAddress(app, 'firetext', reference),
        ...(encoding === 'ucs2' ? { unicode: '1' } : {}),
      });
      const called = await http.request(
        app.settings.url,
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
  // The number itself is rejected, so the message is not retried.
  if (code === 2) return { kind: 'refused', reason: 'code 2: destination', status: 'technical-failure' };
  return { kind: 'retry', reason: `code ${code}` };
}

const form = ['application/x-www-form-urlencoded'];
const ReceiptBody = Type.Object({ status: Anything, reference: Anything, code: Anything, time: Anything });

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/firetext',
    {
      schema: {
        summary: 'Delivery receipt from Firetext (form)',
        consumes: form,
        querystring: ReceiptToken,
        body: ReceiptBody,
        response: receiptResponses,
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['status', 'reference'], 'Firetext');
      if (missing) return reply.code(400).send(missing);
      await app.recordReceipt(receiptOf(body, isAuthentic(app, 'firetext', body.reference, query.token)));
      return { result: 'success' as const };
    },
  );
}

const permanent = new Set(['101', '201', '301', '401']);
const temporary = new Set(['000', '102', '103', '104', '302', '900']);

function receiptOf({ status, reference, code, time }: Static<typeof ReceiptBody>, proven: boolean): Receipt {
  return {
    provider: 'firetext',
    proven,
    notification_type: 'sms',
    reference: plainText(reference),
    reason: `status ${plainText(status)}${code === undefined ? '' : `, code ${plainText(code)}`}`,
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

/** Without a known code, a message with the status pending may still arrive. */
function failureOf(code: unknown, { status }: { status: string }): ReceiptStatus {
  if (permanent.has(plainText(code))) return 'permanent-failure';
  if (temporary.has(plainText(code))) return 'temporary-failure';
  return status === 'pending' ? 'temporary-failure' : 'permanent-failure';
}

function inbound(http: Http, app: InboundDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/receive/firetext',
    {
      schema: {
        summary: 'Inbound text from Firetext (form, basic authentication)',
        body: Type.Object({
          source: PhoneNumber,
          destination: PhoneNumber,
          message: Type.String(),
          time: Type.Optional(Type.Unknown({ description: 'London time' })),
        }),
        consumes: form,
        response: { 200: InboundOk, 401: adminErrors.errorSchema },
      },
      onRequest: async ({ headers }) => refuseUnlessGateway(headers.authorization, app.settings.inboundAuth),
    },
    async ({ body }) => {
      await app.receiveText({
        provider: 'firetext',
        from: plainText(body.source),
        to: plainText(body.destination),
        content: body.message,
        received_at: londonTime(body.time),
        reference: undefined,
      });
      return { status: 'ok' as const };
    },
  );
}
