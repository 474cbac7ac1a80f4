import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { hour_ms } from '../../../platform/clock.ts';
import { forbidden } from '../../../platform/failure.ts';
import { acceptsLongLists } from '../../../platform/http/body/body-limits.ts';
import type { Http } from '../../../platform/http/surface.ts';
import * as setting from '../../../platform/setting.ts';
import type { DomainAtProvider } from '../../../sending-domains/domain-providers.ts';
import type { EmailDescriptor, ProviderDeps, ReceiptDeps } from '../descriptor.ts';
import { fetchJson, type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import { furtherHeaders, messageIdOf } from '../mime.ts';
import type { EmailMessage, Outcome, Provider } from '../provider.ts';
import { Anything, isRecent, plainText, receiptResponses } from '../webhooks.ts';
import { type EmailEvent, fieldsOf, recordEmailEvents, referenceField, secondsTime } from './email-events.ts';

const settings = {
  url: setting.url('SENDGRID_URL', 'Base URL of the SendGrid API; `https://api.eu.sendgrid.com` for the EU.', {
    fallback: 'https://api.sendgrid.com',
  }),
  apiKey: setting.optionalText('SENDGRID_API_KEY', 'API key of the SendGrid account, with the permission Mail Send.', {
    secret: true,
  }),
  webhookKey: setting.optionalText(
    'SENDGRID_WEBHOOK_KEY',
    'Verification key of the signed event webhook, as SendGrid shows it.',
  ),
};

export const sendgrid = {
  name: 'sendgrid' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c22',
    display_name: 'SendGrid',
    priority: 50,
    supports_international: false,
  },
  settings,
  domains: { kind: 'has-keys', lookUp },
  required: ['apiKey', 'webhookKey'],
  problems: ({ webhookKey }) =>
    webhookKey === undefined || keyOf(webhookKey)
      ? []
      : [
          'SENDGRID_WEBHOOK_KEY must be the verification key that SendGrid shows: letters and digits, beginning with MFkw',
        ],
  guide: 'sendgrid',
  open,
  receipts,
} satisfies EmailDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<EmailMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const { url, apiKey } = app.settings;
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    name: 'sendgrid',
    close: () => http.close(),
    async check() {
      const { status, json } = await http.ping(`${url}/v3/scopes`, headers);
      if (status === 401) throw new Error(`it responded with 401: ${keyAdvice}`);
      const scopes = json?.scopes;
      if (Array.isArray(scopes) && !scopes.includes('mail.send')) throw new Error(permissionAdvice);
    },
    async send(message) {
      const body = JSON.stringify(requestOf(message));
      const called = await http.request(
        `${url}/v3/mail/send`,
        { ...headers, 'content-type': 'application/json' },
        body,
      );
      return 'failed' in called ? called.failed : outcomeOf(called.response, app.clock.now());
    },
  };
}

interface DomainAtSendGrid {
  domain?: string;
  valid?: boolean;
  dns?: Record<string, { type?: string; host?: string; data?: string }>;
}

const recordTypes = ['CNAME', 'TXT', 'MX'] as const;

/** With automated security all are CNAME records, otherwise TXT and MX. The API key needs a permission to read them. */
async function lookUp(app: ProviderDeps<typeof settings>, name: string): Promise<DomainAtProvider | undefined> {
  const { url, apiKey } = app.settings;
  const query = new URLSearchParams({ domain: name, limit: '50' });
  const found = await fetchJson(`${url}/v3/whitelabel/domains?${query}`, { authorization: `Bearer ${apiKey}` });
  const domains = (Array.isArray(found?.list) ? found.list : []) as DomainAtSendGrid[];
  const domain = domains.find((one) => one.domain?.toLowerCase() === name);
  if (!domain) return undefined;
  const records = Object.values(domain.dns ?? {}).flatMap(({ type, host = '', data = '' }) => {
    const known = recordTypes.find((one) => one === type?.toUpperCase());
    if (!known || host === '' || data === '') return [];
    const purpose = host.includes('._domainkey.') ? ('signature' as const) : ('return-path' as const);
    return [{ type: known, name: host.toLowerCase(), value: data, purpose }];
  });
  return { records, verified: domain.valid === true };
}

const off = { enable: false };

function requestOf(message: EmailMessage) {
  const { reference, from, to, reply_to, subject, text, html, attachments } = message;
  return {
    personalizations: [{ to: [{ email: to }] }],
    from: { email: from.address, name: from.name },
    ...(reply_to ? { reply_to: { email: reply_to } } : {}),
    subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    headers: { 'Message-ID': messageIdOf(message), ...furtherHeaders(message) },
    ...(attachments && {
      attachments: attachments.map(({ filename, mime_type, content }) => ({
        content: content.toString('base64'),
        filename,
        type: mime_type,
        disposition: 'attachment',
      })),
    }),
    custom_args: { [referenceField]: reference },
    // Tracking rewrites links, and adds a tracking pixel and a footer.
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: off,
      subscription_tracking: off,
      ganalytics: off,
    },
  };
}

const keyAdvice = 'correct SENDGRID_API_KEY, and check the credits of the SendGrid account';
const permissionAdvice =
  'give the key in SENDGRID_API_KEY the permission Mail Send, and verify EMAIL_DOMAIN at SendGrid';
const configurationAdvice = new Map([
  [401, keyAdvice],
  [403, permissionAdvice],
]);

function outcomeOf(response: HttpResponse, now: Date): Outcome {
  const { status, headers, json } = response;
  if (status === 202) {
    const id = headers['x-message-id'];
    return { kind: 'accepted', ...(typeof id === 'string' ? { provider_reference: id } : {}) };
  }
  if (status === 413) return { kind: 'refused', reason: 'answered 413: too large', status: 'technical-failure' };
  const errors = Array.isArray(json?.errors) ? json.errors.map(fieldsOf) : [];
  if (status === 400 && errors.some(({ field }) => /^personalizations\.0\.to\b/.test(plainText(field)))) {
    return { kind: 'refused', reason: 'answered 400: recipient', status: 'technical-failure' };
  }
  const retry_after_ms = response.retry_after_ms ?? untilReset_ms(headers['x-ratelimit-reset'], now);
  return retryOf({ ...response, retry_after_ms }, configurationAdvice.get(status));
}

/** SendGrid returns the time at which its limit ends, in seconds since 1970, instead of a delay. */
function untilReset_ms(reset: string | string[] | undefined, now: Date): number | undefined {
  const wait_ms = Number(reset) * 1_000 - now.getTime();
  return wait_ms >= 0 ? wait_ms : undefined;
}

const Event = Type.Object(
  { event: Anything, type: Anything, reason: Anything, sg_event_id: Anything, timestamp: Anything },
  { additionalProperties: true },
);

/** SendGrid retries a request for 24 hours, and does not document whether it signs each retry again. */
const maxAge_ms = 25 * hour_ms;

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  const key = keyOf(app.settings.webhookKey);
  http.post(
    '/notifications/email/sendgrid',
    {
      schema: {
        summary: 'Deliveries, bounces and spam reports from SendGrid (signed batch)',
        body: Type.Array(Event),
        response: receiptResponses,
      },
      bodyLimit: acceptsLongLists.bodyLimit,
      config: { ...acceptsLongLists.config, keepsRawBody: true },
      // Check the signature before validation, so that errors do not reveal the schema.
      preValidation: async ({ headers, rawBody = Buffer.alloc(0) }) => {
        const signature = plainText(headers['x-twilio-email-event-webhook-signature']);
        const timestamp = plainText(headers['x-twilio-email-event-webhook-timestamp']);
        const isGenuine =
          key !== undefined &&
          isRecent(Number(timestamp) * 1_000, app.clock.now(), maxAge_ms) &&
          isSendGridSignature(key, signature, timestamp, rawBody);
        if (!isGenuine) throw forbidden('SendGrid callback failed: invalid signature');
      },
    },
    async ({ body }) => {
      await recordEmailEvents(app, 'sendgrid', body.flatMap(eventsIn));
      return { result: 'success' as const };
    },
  );
}

/** Parses the public key: DER in base64, on the curve P-256. */
function keyOf(text = ''): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The signature is ECDSA with SHA-256 over the timestamp and the raw body. */
export function isSendGridSignature(key: KeyObject, signature: string, timestamp: string, body: Buffer): boolean {
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return verify('sha256', signed, key, Buffer.from(signature, 'base64'));
}

/** SendGrid's reasons for not sending to this address. Other reasons are about the account or the message. */
const suppressed = /^(bounced|unsubscribed|spam reporting) address$|^invalid$/i;

function eventsIn(event: Static<typeof Event>): EmailEvent[] {
  const reference = fieldsOf(event)[referenceField];
  const at = secondsTime(event.timestamp);
  switch (event.event) {
    case 'delivered':
      return [{ kind: 'receipt', reference, status: 'delivered', at }];
    case 'bounce': {
      const status = event.type === 'blocked' ? 'temporary-failure' : 'permanent-failure';
      return [{ kind: 'receipt', reference, status, reason: plainText(event.reason), at }];
    }
    case 'dropped': {
      const status = suppressed.test(plainText(event.reason)) ? 'permanent-failure' : 'technical-failure';
      return [{ kind: 'receipt', reference, status, reason: plainText(event.reason), at }];
    }
    case 'spamreport':
      return [{ kind: 'complaint', reference, feedback_id: plainText(event.sg_event_id), at }];
    default:
      return [];
  }
}
