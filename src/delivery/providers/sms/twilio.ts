import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import { forbidden } from '../../../platform/failure.ts';
import type { Http } from '../../../platform/http/surface.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';
import * as setting from '../../../platform/setting.ts';
import type { ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Provider, TextMessage } from '../provider.ts';
import type { Receipt, ReceiptStatus } from '../reports.ts';
import { missingFields, receiptResponses } from '../webhooks.ts';

const settings = {
  url: setting.url('TWILIO_URL', 'Base URL of the Twilio API.', { fallback: 'https://api.twilio.com' }),
  accountSid: setting.optionalText('TWILIO_ACCOUNT_SID', 'SID of the Twilio account.'),
  authToken: setting.optionalText(
    'TWILIO_AUTH_TOKEN',
    'Auth token of the Twilio account; also verifies status callbacks.',
    { secret: true },
  ),
};

export const twilio = {
  name: 'twilio' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c03',
    display_name: 'Twilio',
    priority: 50,
    supports_international: true,
  },
  settings,
  required: ['accountSid', 'authToken'],
  open,
  receipts,
} satisfies SmsDescriptor<typeof settings>;

/** The recipient opted out. Like the other permanent errors (invalid, not a mobile, country not enabled), it is about the number. */
const optedOut = 21610;
const permanentErrors = new Set([21211, 21214, 21217, 21408, optedOut, 21612, 21614]);

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const account = `${app.settings.url}/2010-04-01/Accounts/${app.settings.accountSid}`;
  const credentials = Buffer.from(`${app.settings.accountSid}:${app.settings.authToken}`).toString('base64');
  return {
    name: 'twilio',
    close: () => http.close(),
    async check() {
      const { status } = await http.ping(`${account}.json`, { authorization: `Basic ${credentials}` });
      if (status === 401) throw new Error('it responded with 401: correct TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
    },
    async send({ reference, to, sender, text }) {
      const form = new URLSearchParams({
        To: `+${to}`,
        ...senderField(sender),
        Body: text,
        // Twilio has no field for our reference, so the callback URL contains it.
        StatusCallback: `${app.config.urls.api}/notifications/sms/twilio?reference=${reference}`,
      });
      const called = await http.request(
        `${account}/Messages.json`,
        { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
        form.toString(),
      );
      if ('failed' in called) return called.failed;
      const { status, json } = called.response;
      if (status < 300 && typeof json?.sid === 'string') return { kind: 'accepted', provider_reference: json.sid };
      const code = Number(json?.code);
      if (status === 400 && permanentErrors.has(code)) {
        const opted_out = code === optedOut ? { opted_out: true as const } : {};
        return { kind: 'refused', reason: `code ${code}`, status: 'technical-failure', ...opted_out };
      }
      return retryOf(called.response);
    },
  };
}

/** Twilio accepts the id of a messaging service, a number (with a plus), or an alphanumeric sender. */
function senderField(sender: string): Record<string, string> {
  if (/^MG[0-9a-f]{32}$/.test(sender)) return { MessagingServiceSid: sender };
  return { From: /^\d{9,15}$/.test(sender) ? `+${sender}` : sender };
}

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/twilio',
    {
      schema: {
        summary: 'Status callback from Twilio (signed form)',
        consumes: ['application/x-www-form-urlencoded'],
        querystring: Type.Object({ reference: Type.Optional(Type.String()) }),
        body: Type.Record(Type.String(), Type.String(), { maxProperties: 100 }),
        response: receiptResponses,
      },
      // Check the signature before validation, so that errors do not reveal the schema.
      preValidation: async ({ body, headers, url }) => {
        const token = app.settings.authToken;
        const given = [headers['x-twilio-signature']].flat()[0];
        if (!token || !isSignature(given, token, `${app.config.urls.api}${url}`, body)) {
          throw forbidden('Twilio callback failed: invalid signature');
        }
      },
    },
    async ({ body, query }, reply) => {
      const missing = missingFields(body, ['MessageStatus', 'MessageSid'], 'Twilio');
      if (missing) return reply.code(400).send(missing);
      const receipt = receiptOf(body, query.reference);
      if (receipt) await app.recordReceipt(receipt);
      return { result: 'success' as const };
    },
  );
}

/** Returns the HMAC-SHA1 over the callback URL and the fields sorted by name. */
export function twilioSignature(authToken: string, url: string, fields: Record<string, string>): string {
  const text = Object.keys(fields)
    .sort()
    .reduce((sum, name) => sum + name + fields[name], url);
  return createHmac('sha1', authToken).update(text).digest('base64');
}

/** Checks the signature of a body that is not validated yet. */
function isSignature(given: string | undefined, authToken: string, url: string, body: unknown): boolean {
  return given !== undefined && isForm(body) && sameSecret(given, twilioSignature(authToken, url, body));
}

function isForm(body: unknown): body is Record<string, string> {
  if (typeof body !== 'object' || body === null) return false;
  return Object.values(body).every((value) => typeof value === 'string');
}

const temporaryCodes = new Set(['30001', '30002', '30003', '30008', '30009', '30010']);

/** Returns undefined if the status is not final. */
function receiptOf(fields: Record<string, string>, reference: string | undefined): Receipt | undefined {
  const status = outcomeOf(fields.MessageStatus ?? fields.SmsStatus, fields.ErrorCode);
  const named = reference ?? fields.MessageSid ?? fields.SmsSid;
  if (!status || !named) return undefined;
  const word = fields.MessageStatus ?? fields.SmsStatus ?? '';
  const reason = fields.ErrorCode === undefined ? word : `${word}, error ${fields.ErrorCode}`;
  const receipt = { provider: 'twilio', proven: true, notification_type: 'sms' as const, reference: named };
  return { ...receipt, reason, statusFor: () => status };
}

function outcomeOf(status: string | undefined, code: string | undefined): ReceiptStatus | undefined {
  switch (status) {
    case 'delivered':
    case 'read':
      return 'delivered';
    case 'undelivered':
      return code !== undefined && temporaryCodes.has(code) ? 'temporary-failure' : 'permanent-failure';
    case 'failed':
      return code !== undefined && temporaryCodes.has(code) ? 'temporary-failure' : 'technical-failure';
    default:
      return undefined;
  }
}
