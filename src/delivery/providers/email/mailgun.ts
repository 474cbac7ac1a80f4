import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import { FormData } from 'undici';
import { hour_ms } from '../../../platform/clock.ts';
import { forbidden } from '../../../platform/failure.ts';
import { acceptsLongText } from '../../../platform/http/body/body-limits.ts';
import type { Http } from '../../../platform/http/surface.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';
import * as setting from '../../../platform/setting.ts';
import type { EmailDescriptor, ProviderDeps, ReceiptDeps } from '../descriptor.ts';
import { type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import { mimeOf } from '../mime.ts';
import type { EmailMessage, Outcome, Provider } from '../provider.ts';
import { Anything, isRecent, plainText, receiptResponses } from '../webhooks.ts';
import { type EmailEvent, fieldsOf, recordEmailEvents, referenceField, secondsTime } from './email-events.ts';

const settings = {
  region: setting.oneOf('MAILGUN_REGION', 'Region of the Mailgun domain.', ['us', 'eu'], { fallback: 'us' }),
  url: setting.optionalText('MAILGUN_URL', 'Base URL of the Mailgun API, if not that of the region.'),
  domain: setting.optionalText('MAILGUN_DOMAIN', 'Sending domain at Mailgun.'),
  apiKey: setting.optionalText('MAILGUN_API_KEY', 'Sending key of the domain, or API key of the Mailgun account.', {
    secret: true,
  }),
  webhookKey: setting.optionalText('MAILGUN_WEBHOOK_KEY', 'HTTP webhook signing key of the Mailgun account.', {
    secret: true,
  }),
};

export const mailgun = {
  name: 'mailgun' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c23',
    display_name: 'Mailgun',
    priority: 50,
    supports_international: false,
  },
  settings,
  domains: { kind: 'has-keys' },
  required: ['domain', 'apiKey', 'webhookKey'],
  guide: 'mailgun',
  open,
  receipts,
} satisfies EmailDescriptor<typeof settings>;

const bases = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' };

function open(app: ProviderDeps<typeof settings>): Provider<EmailMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const { region, url = bases[region], domain, apiKey } = app.settings;
  const address = `${url}/v3/${domain}/messages.mime`;
  const headers = { authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}` };
  return {
    name: 'mailgun',
    close: () => http.close(),
    async check() {
      // Mailgun rejects a message without a recipient, so this sends nothing. A sending key allows no other request.
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      const { status } = await http.ping(address, form, '');
      const advice = configurationAdvice.get(status);
      if (advice) throw new Error(`it responded with ${status}: ${advice}`);
    },
    async send(message) {
      const called = await http.request(address, headers, await formOf(message, app.clock.now()));
      return 'failed' in called ? called.failed : outcomeOf(called.response);
    },
  };
}

async function formOf(message: EmailMessage, now: Date): Promise<FormData> {
  const form = new FormData();
  form.set('to', message.to);
  const source = new Uint8Array(await mimeOf(message, now));
  form.set('message', new Blob([source], { type: 'message/rfc822' }), 'message.mime');
  form.set(`v:${referenceField}`, message.reference);
  // Tracking rewrites links and adds a tracking pixel.
  for (const option of ['o:tracking', 'o:tracking-clicks', 'o:tracking-opens']) form.set(option, 'no');
  return form;
}

const configurationAdvice = new Map([
  [401, 'correct MAILGUN_API_KEY, or MAILGUN_REGION: keys of the US are unknown in the EU'],
  [402, 'check the payment of the Mailgun account'],
  [403, 'correct MAILGUN_API_KEY, and check that the Mailgun account and domain may send'],
  [404, 'correct MAILGUN_DOMAIN, or MAILGUN_REGION'],
]);

function outcomeOf(response: HttpResponse): Outcome {
  const { status, json } = response;
  if (status === 200 && typeof json?.id === 'string') {
    return { kind: 'accepted', provider_reference: json.id.replaceAll(/[<>]/g, '') };
  }
  if (status === 413) return { kind: 'refused', reason: 'answered 413: too large', status: 'technical-failure' };
  if (status === 400 && /\bto parameter\b|'to'/.test(plainText(json?.message))) {
    return { kind: 'refused', reason: 'answered 400: recipient', status: 'technical-failure' };
  }
  return retryOf(response, configurationAdvice.get(status));
}

const Body = Type.Object({ signature: Anything, 'event-data': Anything }, { additionalProperties: true });

/** Mailgun retries a request for 8 hours, and does not document whether it signs each retry again. */
const maxAge_ms = 9 * hour_ms;
const maxTokens = 200_000;

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  // A signature does not cover the event. A token that was used for another event was copied from that request. With `max` instead of
  // `maxSize`, the cache would reserve 6 MB even where Mailgun is not used.
  const eventsByToken = new LRUCache<string, string>({ maxSize: maxTokens, sizeCalculation: () => 1 });
  http.post(
    '/notifications/email/mailgun',
    {
      schema: {
        summary: 'Delivery, failure or spam complaint from Mailgun (signed)',
        body: Body,
        response: receiptResponses,
      },
      bodyLimit: acceptsLongText.bodyLimit,
      config: { keepsRawBody: true },
      // Check the signature before validation, so that errors do not reveal the schema.
      preValidation: async ({ body, rawBody = Buffer.alloc(0) }) => {
        const { timestamp, token, signature } = fieldsOf(fieldsOf(body).signature);
        const given = { timestamp: plainText(timestamp), token: plainText(token), signature: plainText(signature) };
        const isGenuine =
          isRecent(Number(given.timestamp) * 1_000, app.clock.now(), maxAge_ms) &&
          isMailgunSignature(app.settings.webhookKey, given);
        const digest = createHash('sha256').update(rawBody).digest('base64');
        if (!isGenuine || (eventsByToken.get(given.token) ?? digest) !== digest) {
          throw forbidden('Mailgun callback failed: invalid signature');
        }
        eventsByToken.set(given.token, digest);
      },
    },
    async ({ body }) => {
      await recordEmailEvents(app, 'mailgun', eventsIn(fieldsOf(body['event-data'])));
      return { result: 'success' as const };
    },
  );
}

/** The signature is an HMAC-SHA-256 over the timestamp and a random token, in hexadecimal. */
function isMailgunSignature(
  key: string | undefined,
  { timestamp, token, signature }: { timestamp: string; token: string; signature: string },
): boolean {
  if (!key || token === '') return false;
  return sameSecret(signature, createHmac('sha256', key).update(timestamp).update(token).digest('hex'));
}

function reasonOf(event: Record<string, unknown>): string {
  const { code, message, description } = fieldsOf(event['delivery-status']);
  const reject = fieldsOf(event.reject).reason;
  return [event.reason, reject, code, message || description].map(plainText).filter(Boolean).join(', ');
}

function eventsIn(event: Record<string, unknown>): EmailEvent[] {
  const reference = fieldsOf(event['user-variables'])[referenceField];
  const at = secondsTime(event.timestamp);
  switch (event.event) {
    case 'delivered':
      return [{ kind: 'receipt', reference, status: 'delivered', at }];
    case 'failed': {
      // After a temporary failure Mailgun retries for 8 hours, and then reports a permanent one.
      if (event.severity !== 'permanent') return [];
      const status = event.reason === 'old' ? 'temporary-failure' : 'permanent-failure';
      return [{ kind: 'receipt', reference, status, reason: reasonOf(event), at }];
    }
    case 'rejected':
      return [{ kind: 'receipt', reference, status: 'technical-failure', reason: reasonOf(event), at }];
    case 'complained':
      return [{ kind: 'complaint', reference, feedback_id: plainText(event.id), at }];
    default:
      return [];
  }
}
