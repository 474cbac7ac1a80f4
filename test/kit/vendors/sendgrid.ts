import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { ensure, expectedMail, hasKeys, isPage, json, type Vendor } from './vendor.ts';

const apiKey = 'SG.key';
const path = '/notifications/email/sendgrid';
const now_s = Date.parse('2026-11-15T12:00:00Z') / 1_000;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const problem = (status: number, message: string, field: string | null = null, headers = {}) =>
  json(status, { errors: [{ message, field, help: null }] }, headers);
const unauthorized = problem(401, 'The provided authorization grant is invalid, expired, or revoked');
const off = { enable: false };

/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send and /for-developers/tracking-events/event */
export const sendgrid: Vendor = {
  name: 'sendgrid',
  channel: 'email',
  settings: (url) => ({
    sendgrid: { url, apiKey, webhookKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') },
  }),
  read({ method, url, headers, body }) {
    ensure(method === 'POST' && url === '/v3/mail/send', problem(404, 'not found'));
    ensure(headers.authorization === `Bearer ${apiKey}`, unauthorized);
    ensure(headers['content-type'] === 'application/json', problem(415, 'Content-Type should be application/json.'));
    const mail = JSON.parse(body);
    const required = ['personalizations', 'from', 'subject', 'content'];
    const optional = ['reply_to', 'headers', 'custom_args', 'tracking_settings', 'attachments'];
    ensure(hasKeys(mail, required, optional), problem(400, 'Additional property', ''));
    const [personalization] = mail.personalizations;
    ensure(hasKeys(personalization, ['to']) && hasKeys(personalization.to[0], ['email']), problem(400, 'to'));
    ensure(hasKeys(mail.from, ['email', 'name']) && hasKeys(mail.custom_args, ['notification_id']), problem(400, 'x'));
    const types = mail.content.map(({ type }: { type: string }) => type);
    ensure(types.join() === 'text/plain,text/html', problem(400, 'text/plain must come first', 'content'));
    const tracking = { open_tracking: off, subscription_tracking: off, ganalytics: off };
    const clicks = { click_tracking: { enable: false, enable_text: false } };
    ensure(
      JSON.stringify(mail.tracking_settings) === JSON.stringify({ ...clicks, ...tracking }),
      problem(400, 'tracking'),
    );
    return {
      reference: mail.custom_args.notification_id,
      from: { name: mail.from.name, address: mail.from.email },
      to: personalization.to[0].email,
      reply_to: mail.reply_to?.email,
      subject: mail.subject,
      text: mail.content[0].value,
      isPage: isPage(mail.content[1].value),
      headers: mail.headers,
      attachments: mail.attachments?.map(({ filename, type, content, disposition }: Record<string, string>) => {
        ensure(disposition === 'attachment', problem(400, 'disposition', 'attachments'));
        return [filename, type, content];
      }),
    };
  },
  expected: expectedMail,
  accepted(reference) {
    const provider_reference = `14c5d75ce93.${reference}`;
    return { answer: { status: 202, headers: { 'x-message-id': provider_reference } }, provider_reference };
  },
  checked({ method, url, headers }) {
    if (method !== 'GET' || url !== '/v3/scopes') return undefined;
    if (headers.authorization === 'Bearer reader') return json(200, { scopes: ['stats.read'] });
    return headers.authorization === `Bearer ${apiKey}` ? json(200, { scopes: ['mail.send'] }) : unauthorized;
  },
  wrong: [
    [{ apiKey: 'other' }, 'it responded with 401: correct SENDGRID_API_KEY'],
    [{ apiKey: 'reader' }, 'give the key in SENDGRID_API_KEY the permission Mail Send'],
  ],
  refusals: [
    [
      problem(400, 'Does not contain a valid address.', 'personalizations.0.to.0.email'),
      'technical-failure',
      'answered 400: recipient',
    ],
    [problem(413, 'The JSON payload is too large'), 'technical-failure', 'answered 413: too large'],
  ],
  misconfigured: [
    [
      problem(401, 'Maximum credits exceeded'),
      'answered 401: correct SENDGRID_API_KEY, and check the credits of the SendGrid account',
    ],
    [
      problem(403, 'The from address does not match a verified Sender Identity.', 'from'),
      'answered 403: give the key in SENDGRID_API_KEY the permission Mail Send, and verify EMAIL_DOMAIN at SendGrid',
    ],
    [problem(400, 'The from email does not contain a valid address.', 'from.email'), 'answered 400'],
  ],
  throttled: (now) => [
    [problem(429, 'too many requests'), 300],
    [problem(429, 'too many requests', null, { 'x-ratelimit-reset': String(now.getTime() / 1_000 + 11) }), 11],
    [problem(429, 'too many requests', null, { 'retry-after': '7' }), 7],
    [problem(429, 'too many requests', null, { 'x-ratelimit-reset': 'soon' }), 300],
  ],
  nonsense: [{ status: 200, body: '<html>' }, json(200, {}), json(201, { id: 5 })],
  events: [
    ['a delivery', (id) => batch(id, { event: 'delivered', response: '250 OK' }), 'delivered'],
    ['a bounce', (id) => batch(id, { event: 'bounce', type: 'bounce', status: '5.1.1' }), 'permanent-failure'],
    ['a block', (id) => batch(id, { event: 'bounce', type: 'blocked', status: '4.7.1' }), 'temporary-failure'],
    ['a suppressed address', (id) => batch(id, { event: 'dropped', reason: 'Bounced Address' }), 'permanent-failure'],
    ['an invalid address', (id) => batch(id, { event: 'dropped', reason: 'Invalid' }), 'permanent-failure'],
    ['a message for spam', (id) => batch(id, { event: 'dropped', reason: 'Spam Content' }), 'technical-failure'],
    ['a delay', (id) => batch(id, { event: 'deferred', response: '400 try again', attempt: '5' }), 'sending'],
    ['a spam report', (id) => complaint(id), 'sending'],
    [
      'several events of one message',
      (id) => [
        ...batch(id, { event: 'processed' }),
        ...batch(id, { event: 'deferred' }),
        ...batch(id, { event: 'delivered' }),
      ],
      'delivered',
    ],
    [
      'a large batch with an event of ours',
      (id) => [
        ...Array.from({ length: 1_500 }, () => ({
          event: 'delivered',
          email: 'someone@example.net',
          sg_event_id: 'x',
        })),
        ...batch(id, { event: 'delivered' }),
      ],
      'delivered',
    ],
  ],
  complaint,
  webhook: (event) => signed(event),
  forgeries(event) {
    const genuine = signed(event);
    const { headers } = genuine;
    return [
      ['no signature', { ...genuine, headers: { 'content-type': 'application/json' } }, 403],
      ['the signature of another key', signed(event, { key: stranger }), 403],
      ['a body that was not signed', { ...genuine, payload: `${genuine.payload} ` }, 403],
      ['another time', { ...genuine, headers: { ...headers, [timeHeader]: String(now_s + 1) } }, 403],
      ['a time 25 hours ago', signed(event, { at: now_s - 25 * 3600 - 3600 }), 403],
      ['a time in an hour', signed(event, { at: now_s + 2 * 3600 }), 403],
      ['a signature that is none', { ...genuine, headers: { ...headers, [signatureHeader]: '!' } }, 403],
      ['no body', { ...genuine, payload: '' }, 403],
    ];
  },
  oddities: [
    [],
    [{}],
    [{ event: 'delivered', notification_id: 5 }],
    [{ event: ['bounce'], notification_id: 'a\u0000b', timestamp: 'never' }],
    [{ event: 'spamreport', notification_id: {}, sg_event_id: {} }],
  ],
};

const signatureHeader = 'x-twilio-email-event-webhook-signature';
const timeHeader = 'x-twilio-email-event-webhook-timestamp';

function batch(notification_id: string, event: object) {
  return [
    {
      ...{ email: 'ada@example.org', timestamp: now_s + 1, 'smtp-id': `<${notification_id}@notifications.example>` },
      ...{ sg_event_id: `${notification_id}-event`, sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648' },
      notification_id,
      ...event,
    },
  ];
}

function complaint(id: string) {
  return batch(id, { event: 'spamreport' });
}

/** SendGrid ends the body with a line break, which it signs. */
function signed(event: object, { key = privateKey, at = now_s }: { key?: KeyObject; at?: number } = {}): InjectOptions {
  const payload = `${JSON.stringify(event)}\r\n`;
  const signature = createSign('sha256').update(`${at}${payload}`).sign(key, 'base64');
  const headers = { 'content-type': 'application/json', [signatureHeader]: signature, [timeHeader]: String(at) };
  return { method: 'POST', url: path, headers, payload };
}
