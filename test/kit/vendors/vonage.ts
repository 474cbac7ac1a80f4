import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import type { FrontRequest } from './http-front.ts';
import { ensure, hasKeys, json, type Vendor } from './vendor.ts';

const applicationId = 'aaaaaaaa-bbbb-4ccc-dddd-0123456789ab';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = createPublicKey(privateKey);
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = (key: typeof privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const secret = 'vonage-signature-secret';
const now_s = Date.parse('2026-11-15T12:00:00Z') / 1_000;
const statusPath = '/notifications/sms/vonage';

const problem = (status: number, code: number | string, more: object = {}) =>
  json(status, {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: 'x',
    detail: 'x',
    instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
    ...more,
  });
const unauthorized = json(401, { type: 'https://developer.vonage.com/api-errors#unauthorized', title: 'Unauthorized' });

function isAuthorized({ headers }: FrontRequest): boolean {
  const [header = '', claims = '', signature = ''] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
  const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');
  const { application_id, iat, exp, jti } = parsed(claims);
  return (
    parsed(header).alg === 'RS256' &&
    application_id === applicationId &&
    exp - iat <= 24 * 3600 &&
    typeof jti === 'string' &&
    verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
  );
}

/** https://developer.vonage.com/en/api/messages and /en/getting-started/concepts/webhooks */
export const vonage: Vendor = {
  name: 'vonage',
  channel: 'sms',
  settings: (url) => ({ vonage: { url, applicationId, privateKey: pem(privateKey), signatureSecret: secret } }),
  read(request) {
    ensure(request.method === 'POST' && request.url === '/v1/messages', problem(404, 'not-found'));
    ensure(isAuthorized(request), unauthorized);
    ensure(request.headers['content-type'] === 'application/json', problem(415, 'x'));
    const message = JSON.parse(request.body);
    const required = ['channel', 'message_type', 'to', 'from', 'text'];
    const optional = ['client_ref', 'sms', 'webhook_url', 'webhook_version'];
    const isValid = hasKeys(message, required, optional) && hasKeys(message.sms, ['encoding_type']);
    ensure(isValid && /^[1-9]\d{6,14}$/.test(message.to), problem(422, 1150));
    ensure(['text', 'unicode', 'auto'].includes(message.sms.encoding_type), problem(422, 1150));
    const { client_ref: reference, ...rest } = message;
    return { reference, ...rest, webhook_url: new URL(message.webhook_url).pathname };
  },
  expected: () => ({
    ...{ channel: 'sms', message_type: 'text', to: '447700900123', from: 'TESTING', text: 'Hello Ada' },
    ...{ sms: { encoding_type: 'text' }, webhook_url: statusPath, webhook_version: 'v1' },
  }),
  accepted(reference) {
    const message_uuid = reference.replace(/^..../, 'aaaa');
    return { answer: json(202, { message_uuid }), provider_reference: message_uuid };
  },
  checked(request) {
    if (request.body !== '{}') return undefined;
    return isAuthorized(request) ? problem(422, 1150, { invalid_parameters: [{ name: 'to' }] }) : unauthorized;
  },
  wrong: [
    [{ privateKey: pem(stranger) }, 'it responded with 401: correct VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY'],
    [{ applicationId: 'other' }, 'it responded with 401: correct VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY'],
  ],
  refusals: [
    [problem(422, 1170), 'technical-failure', 'error 1170: recipient'],
    [
      problem(422, 1150, { invalid_parameters: [{ name: 'to', reason: 'x' }] }),
      'technical-failure',
      'error 1150: recipient',
    ],
  ],
  misconfigured: [
    [unauthorized, 'answered 401: correct VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY, and the clock'],
    [problem(402, 1070), 'answered 402: top up the balance of the Vonage account'],
    [problem(403, 'forbidden'), 'answered 403: let the Vonage application use the Messages API'],
    [problem(422, 1120), 'answered 422: error 1120'],
  ],
  throttled: () => [[{ ...problem(429, 1000), headers: { 'retry-after': '7' } }, 7]],
  nonsense: [{ status: 202, body: 'Accepted' }, json(202, {}), json(200, { status: 0 })],
  events: [
    ['a delivery', (id) => status(id, 'delivered'), 'delivered'],
    ['a phone that is off', (id) => status(id, 'undeliverable', 1180), 'temporary-failure'],
    ['a number that is gone', (id) => status(id, 'undeliverable', 1190), 'permanent-failure'],
    ['a failure without a code', (id) => status(id, 'undeliverable'), 'permanent-failure'],
    ['a barred number', (id) => status(id, 'rejected', 1050), 'permanent-failure'],
    ['a sender that is not allowed', (id) => status(id, 'rejected', 1120), 'technical-failure'],
    ['a network error', (id) => status(id, 'rejected', 1230), 'temporary-failure'],
    ['a recipient who opted out', (id) => status(id, 'rejected', 1240), 'permanent-failure'],
    ['a number that the carrier blocked', (id) => status(id, 'rejected', 1280), 'permanent-failure'],
    ['a message that a filter took for spam', (id) => status(id, 'rejected', 1210), 'technical-failure'],
    ['a submission', (id) => status(id, 'submitted'), 'sending'],
    ['a code in the title', (id) => ({ ...status(id, 'undeliverable'), error: { title: 1330 } }), 'temporary-failure'],
  ],
  webhook: (event) => signed(event),
  forgeries(event) {
    const genuine = signed(event);
    return [
      ['no token', { ...genuine, headers: { 'content-type': 'application/json' } }, 403],
      ['the token of another secret', signed(event, { key: 'guess' }), 403],
      ['a body that was not signed', { ...genuine, payload: `${genuine.payload} ` }, 403],
      ['no digest of the body', signed(event, { claims: { payload_hash: undefined } }), 403],
      ['a token 25 hours old', signed(event, { claims: { iat: now_s - 26 * 3600 } }), 403],
      ['a token of tomorrow', signed(event, { claims: { iat: now_s + 24 * 3600 } }), 403],
      ['a token without a time', signed(event, { claims: { iat: undefined } }), 403],
      ['a token without a signature', signed(event, { alg: 'none' }), 403],
      ['no body', { ...genuine, payload: '' }, 403],
    ];
  },
  oddities: [
    {},
    { status: 'delivered' },
    { status: ['delivered'], client_ref: {}, error: 'x' },
    { status: 'rejected', client_ref: 'a\u0000b', error: [5], timestamp: 'never' },
  ],
  inbound: {
    text: (to) => ({
      ...{ channel: 'sms', message_uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab', to, from: '447700900111' },
      ...{ timestamp: '2026-11-15T12:00:01Z', message_type: 'text', text: 'Diolch 📩', sms: { num_messages: '1' } },
    }),
    webhook: (event) => ({ ...signed(event), url: '/notifications/sms/receive/vonage' }),
  },
};

function status(client_ref: string, value: string, code?: number) {
  const type = `https://developer.vonage.com/api-errors/messages#${code}`;
  return {
    ...{ message_uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab', to: '447700900123', from: 'TESTING', channel: 'sms' },
    ...{ timestamp: '2026-11-15T12:00:01Z', status: value, client_ref, usage: { currency: 'EUR', price: '0.03' } },
    ...(code === undefined ? {} : { error: { type, title: code, detail: 'x', instance: 'x' } }),
  };
}

function signed(event: object, { key = secret, alg = 'HS256', claims = {} as object } = {}): InjectOptions {
  const payload = JSON.stringify(event);
  const hash = createHash('sha256').update(payload).digest('hex');
  const all = { iat: now_s, jti: 'x', iss: 'Vonage', payload_hash: hash, api_key: 'a', application_id: 'b', ...claims };
  const parts = [{ alg, typ: 'JWT' }, all].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = alg === 'none' ? '' : createHmac('sha256', key).update(parts.join('.')).digest('base64url');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${parts.join('.')}.${signature}` };
  return { method: 'POST', url: statusPath, headers, payload };
}
