import { createHmac, randomUUID } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import PostalMime from 'postal-mime';
import { ownMailHeader } from '../../../src/notifications/sending/over-smtp.ts';
import { ensure, expectedMail, isPage, json, type Vendor } from './vendor.ts';

const domain = 'mg.notifications.example';
const apiKey = 'mailgun-sending-key';
const webhookKey = 'mailgun-webhook-key';
const path = '/notifications/email/mailgun';
const now_s = Date.parse('2026-11-15T12:00:00Z') / 1_000;
const authorization = `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`;
const problem = (status: number, message: string) => json(status, { message });
const options = ['o:tracking', 'o:tracking-clicks', 'o:tracking-opens'];

/** https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages and /user-manual/webhooks */
export const mailgun: Vendor = {
  name: 'mailgun',
  channel: 'email',
  settings: (url) => ({ mailgun: { url, domain, apiKey, webhookKey } }),
  async read({ method, url, headers, body }) {
    ensure(method === 'POST' && url === `/v3/${domain}/messages.mime`, problem(404, 'Domain not found'));
    ensure(headers.authorization === authorization, problem(401, 'Forbidden'));
    ensure(headers['content-type']?.startsWith('multipart/form-data'), problem(400, "'message' parameter is missing"));
    const form = await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
    const names = ['to', 'message', 'v:notification_id', ...options];
    ensure([...form.keys()].sort().join() === names.sort().join(), problem(400, 'unknown parameter'));
    ensure(
      options.every((option) => form.get(option) === 'no'),
      problem(400, 'tracking'),
    );
    const message = form.get('message');
    ensure(message instanceof Blob, problem(400, 'message must be a file'));
    const mail = await PostalMime.parse(await message.text());
    const header = (name: string) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value;
    const named = [
      'Message-ID',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'In-Reply-To',
      'References',
      'Auto-Submitted',
      ownMailHeader,
    ];
    ensure(mail.to?.[0]?.address === form.get('to'), problem(400, 'to'));
    return {
      reference: String(form.get('v:notification_id')),
      from: { name: mail.from?.name, address: mail.from?.address },
      to: form.get('to'),
      reply_to: mail.replyTo?.[0]?.address,
      subject: mail.subject,
      // MIME adds a line end before the next part.
      text: mail.text?.replace(/\n$/, ''),
      isPage: isPage(mail.html),
      headers: Object.fromEntries(named.map((name) => [name, header(name)]).filter(([, value]) => value !== undefined)),
      attachments:
        mail.attachments.length === 0
          ? undefined
          : mail.attachments.map(({ filename, mimeType, content }) => [
              filename,
              mimeType,
              Buffer.from(content as ArrayBuffer).toString('base64'),
            ]),
    };
  },
  expected: expectedMail,
  accepted(reference) {
    const provider_reference = `${reference}@${domain}`;
    return { answer: json(200, { id: `<${provider_reference}>`, message: 'Queued. Thank you.' }), provider_reference };
  },
  checked({ method, url, headers, body }) {
    if (method !== 'POST' || !url.endsWith('/messages.mime') || body !== '') return undefined;
    if (headers.authorization !== authorization) return problem(401, 'Forbidden');
    return url.includes(domain) ? problem(400, 'to parameter is missing') : problem(404, 'Domain not found');
  },
  wrong: [
    [{ apiKey: 'other' }, 'it responded with 401: correct MAILGUN_API_KEY, or MAILGUN_REGION'],
    [{ domain: 'other.example' }, 'it responded with 404: correct MAILGUN_DOMAIN, or MAILGUN_REGION'],
  ],
  refusals: [
    [
      problem(400, 'to parameter is not a valid address. please check documentation'),
      'technical-failure',
      'answered 400: recipient',
    ],
    [problem(413, 'Message is too large'), 'technical-failure', 'answered 413: too large'],
  ],
  misconfigured: [
    [
      problem(401, 'Forbidden'),
      'answered 401: correct MAILGUN_API_KEY, or MAILGUN_REGION: keys of the US are unknown in the EU',
    ],
    [
      problem(403, 'Domain is not allowed to send'),
      'answered 403: correct MAILGUN_API_KEY, and check that the Mailgun account and domain may send',
    ],
    [problem(404, 'Domain not found'), 'answered 404: correct MAILGUN_DOMAIN, or MAILGUN_REGION'],
    [problem(400, 'from parameter is missing'), 'answered 400'],
  ],
  throttled: () => [[{ ...problem(429, 'Too many requests'), headers: { 'retry-after': '7' } }, 7]],
  nonsense: [{ status: 200, body: 'Mailgun Magnificent API' }, json(200, { message: 'Queued. Thank you.' })],
  events: [
    ['a delivery', (id) => data(id, { event: 'delivered' }), 'delivered'],
    ['a bounce', (id) => failed(id, 'permanent', 'bounce'), 'permanent-failure'],
    ['a suppressed address', (id) => failed(id, 'permanent', 'suppress-bounce'), 'permanent-failure'],
    ['an end of retries', (id) => failed(id, 'permanent', 'old'), 'temporary-failure'],
    ['a temporary failure', (id) => failed(id, 'temporary', 'generic'), 'sending'],
    ['a rejection', (id) => data(id, { event: 'rejected', reject: { reason: 'x' } }), 'technical-failure'],
    ['an acceptance', (id) => data(id, { event: 'accepted' }), 'sending'],
    ['a complaint', (id) => complaint(id), 'sending'],
  ],
  complaint,
  webhook: (event) => signed(event),
  forgeries(event) {
    const other = { ...event, id: 'another event' };
    const { payload } = signed({ event: 'opened' }, { token: 'copied' });
    const { signature } = JSON.parse(String(payload));
    return [
      ['no signature', request({ 'event-data': event }), 403],
      ['the signature of another key', signed(event, { key: 'guess' }), 403],
      ['another token', changed(signed(event), { token: 'other' }), 403],
      ['another time', changed(signed(event), { timestamp: String(now_s + 1) }), 403],
      ['an empty token', signed(event, { token: '' }), 403],
      ['a time ten hours ago', signed(event, { at: now_s - 10 * 3600 }), 403],
      ['a time in an hour', signed(event, { at: now_s + 2 * 3600 }), 403],
      ['a token that is used for the first time', signed({ event: 'opened' }, { token: 'copied' }), 200],
      ['the signature of another event', request({ signature, 'event-data': other }), 403],
      ['the same request again', signed({ event: 'opened' }, { token: 'copied' }), 200],
      ['no body', { method: 'POST', url: path, payload: '' }, 403],
    ];
  },
  oddities: [
    {},
    { event: 'delivered' },
    { event: 'delivered', 'user-variables': { notification_id: 5 } },
    { event: ['failed'], severity: {}, 'user-variables': [], timestamp: 'never' },
    { event: 'complained', 'user-variables': { notification_id: 'a\u0000b' } },
  ],
};

function data(notification_id: string, event: object) {
  return {
    ...{ id: `${notification_id}-event`, timestamp: now_s + 1, 'log-level': 'info', recipient: 'ada@example.org' },
    ...{ 'user-variables': { notification_id }, message: { headers: { 'message-id': 'x' } }, tags: [] },
    ...event,
  };
}

function failed(id: string, severity: string, reason: string) {
  return data(id, { event: 'failed', severity, reason, 'delivery-status': { code: 550, message: 'x' } });
}

function complaint(id: string) {
  return data(id, { event: 'complained' });
}

function request(body: object): InjectOptions {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', url: path, headers, payload: JSON.stringify(body) };
}

function signed(event: object, { key = webhookKey, at = now_s, token = String(randomUUID()) } = {}): InjectOptions {
  const timestamp = String(at);
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return request({ signature: { timestamp, token, signature }, 'event-data': event });
}

function changed({ payload }: InjectOptions, change: object): InjectOptions {
  const body = JSON.parse(String(payload));
  return request({ ...body, signature: { ...body.signature, ...change } });
}
