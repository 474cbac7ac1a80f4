import { createHmac } from 'node:crypto';
import type { Config } from '../../config.ts';
import { sameSecret } from '../../platform/secrets/secrets.ts';
import { ProviderHttpClient, retryOf } from './http-client.ts';
import type { Provider, Receipt, ReceiptStatus, TextMessage } from './provider.ts';

type Deps = {
  config: Pick<Config, 'TWILIO_URL' | 'TWILIO_ACCOUNT_SID' | 'TWILIO_AUTH_TOKEN' | 'BASE_URL' | 'DELIVERY_CONCURRENCY'>;
};

/** The number cannot be reached by text at all: invalid, not a mobile, blocked by its owner, a country not switched on. */
const hopeless = new Set([21211, 21214, 21217, 21408, 21610, 21612, 21614]);

export function twilio({ config }: Deps): Provider<TextMessage> {
  const http = new ProviderHttpClient(config);
  const account = `${config.TWILIO_URL}/2010-04-01/Accounts/${config.TWILIO_ACCOUNT_SID}`;
  const credentials = Buffer.from(`${config.TWILIO_ACCOUNT_SID}:${config.TWILIO_AUTH_TOKEN}`).toString('base64');
  return {
    name: 'twilio',
    close: () => http.close(),
    async check() {
      const { status } = await http.ping(`${account}.json`, { authorization: `Basic ${credentials}` });
      if (status === 401) throw new Error('its answer is 401: correct TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
    },
    async send({ reference, to, sender, text }) {
      const form = new URLSearchParams({
        To: `+${to}`,
        ...senderField(sender),
        Body: text,
        // Twilio has no field for our reference, so its receipts carry it in their address.
        StatusCallback: `${config.BASE_URL}/notifications/sms/twilio?reference=${reference}`,
      });
      const called = await http.post(
        `${account}/Messages.json`,
        { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
        form.toString(),
      );
      if ('failed' in called) return called.failed;
      const { status, json } = called.answer;
      if (status < 300 && typeof json?.sid === 'string') return { kind: 'accepted', provider_reference: json.sid };
      const code = Number(json?.code);
      if (status === 400 && hopeless.has(code)) {
        return { kind: 'refused', reason: `code ${code}`, status: 'technical-failure' };
      }
      return retryOf(called.answer);
    },
  };
}

/** A messaging service is named by its id, a number with a plus, anything else is an alphanumeric sender. */
function senderField(sender: string): Record<string, string> {
  if (/^MG[0-9a-f]{32}$/.test(sender)) return { MessagingServiceSid: sender };
  return { From: /^\d{9,15}$/.test(sender) ? `+${sender}` : sender };
}

/** HMAC-SHA1 over the address it was told to call and the fields in order of their names. */
export function twilioSignature(authToken: string, url: string, fields: Record<string, string>): string {
  const text = Object.keys(fields)
    .sort()
    .reduce((sum, name) => sum + name + fields[name], url);
  return createHmac('sha1', authToken).update(text).digest('base64');
}

/** Asked of a body that nothing else has looked at yet. */
export function isTwilioSignature(given: string | undefined, authToken: string, url: string, body: unknown): boolean {
  return given !== undefined && isForm(body) && sameSecret(given, twilioSignature(authToken, url, body));
}

function isForm(body: unknown): body is Record<string, string> {
  if (typeof body !== 'object' || body === null) return false;
  return Object.values(body).every((value) => typeof value === 'string');
}

const temporaryCodes = new Set(['30001', '30002', '30003', '30008', '30009', '30010']);

/** Undefined while the message is still on its way. */
export function twilioReceipt(fields: Record<string, string>, reference: string | undefined): Receipt | undefined {
  const status = outcomeOf(fields.MessageStatus ?? fields.SmsStatus, fields.ErrorCode);
  const named = reference ?? fields.MessageSid ?? fields.SmsSid;
  if (!status || !named) return undefined;
  return { provider: 'twilio', proven: true, notification_type: 'sms', reference: named, statusFor: () => status };
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
