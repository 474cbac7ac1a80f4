import { createSign } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { textToSign } from '../../../src/delivery/providers/aws/sns.ts';
import { signedHeaders } from '../../../src/platform/storage/aws-signature.ts';
import { aCertificate } from './certificate.ts';
import type { FrontRequest } from './http-front.ts';
import { ensure, hasKeys, json, type Vendor } from './vendor.ts';

const access = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret', region: 'eu-west-2', service: 'sms-voice' };
const topic = 'arn:aws:sns:eu-west-2:123456789012:text-receipts';
const path = '/notifications/sms/aws-sms';
const certificate = aCertificate({ from: new Date('2026-01-01'), until: new Date('2027-01-01') });
const stranger = aCertificate({ from: new Date('2026-01-01'), until: new Date('2027-01-01') });

/** The certificate of the topic, where Amazon would serve it. */
export const amazonCertificate = {
  host: 'https://sns.eu-west-2.amazonaws.com',
  path: '/SimpleNotificationService-texts.pem',
  pem: certificate.pem,
};

const problem = (status: number, name: string, more: object = {}) =>
  json(status, { __type: `com.amazonaws.pinpointsmsvoicev2#${name}`, Message: 'x', ...more });
const unrecognized = json(400, { __type: 'UnrecognizedClientException', message: 'The security token is invalid.' });

/** Signs the request again, as AWS does, and compares the signatures. */
async function isSigned({ url, headers, body }: FrontRequest): Promise<boolean> {
  const named = /SignedHeaders=([^,]+),/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const covered = ['content-type', 'host', 'x-amz-date', 'x-amz-target'];
  if (named.join() !== covered.join()) return false;
  const date = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const signed = {
    'content-type': String(headers['content-type']),
    'x-amz-target': String(headers['x-amz-target']),
  };
  // The front strips the name of the vendor from the path.
  const address = `http://${headers.host}/aws-sms${url}`;
  const expected = await signedHeaders(access, { method: 'POST', url: address, headers: signed, body }, new Date(date));
  return expected.authorization === headers.authorization;
}

/** https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html */
export const awsSms: Vendor = {
  name: 'aws-sms',
  channel: 'sms',
  settings: (url) => ({
    'aws-sms': {
      url,
      accessKeyId: access.access_key_id,
      secretAccessKey: access.secret_access_key,
      configurationSet: 'receipts',
      topicArns: [topic],
    },
  }),
  async read(request) {
    const { method, url, headers, body } = request;
    ensure(method === 'POST' && url === '/', json(404, {}));
    ensure(headers['content-type'] === 'application/x-amz-json-1.0', problem(400, 'SerializationException'));
    ensure(await isSigned(request), unrecognized);
    ensure(headers['x-amz-target'] === 'PinpointSMSVoiceV2.SendTextMessage', problem(400, 'UnknownOperationException'));
    const message = JSON.parse(body);
    const optional = ['OriginationIdentity', 'MessageBody', 'MessageType', 'ConfigurationSetName', 'Context'];
    ensure(hasKeys(message, ['DestinationPhoneNumber'], optional), problem(400, 'SerializationException'));
    ensure(/^\+[1-9]\d{1,18}$/.test(message.DestinationPhoneNumber), problem(400, 'ValidationException'));
    ensure(hasKeys(message.Context, ['notification_id']), problem(400, 'ValidationException'));
    const { Context: context, ...rest } = message;
    return { reference: context.notification_id, ...rest };
  },
  expected: () => ({
    ...{ DestinationPhoneNumber: '+447700900123', OriginationIdentity: 'TESTING', MessageBody: 'Hello Ada' },
    ...{ MessageType: 'TRANSACTIONAL', ConfigurationSetName: 'receipts' },
  }),
  accepted(reference) {
    const MessageId = reference.replace(/^..../, 'eeee');
    return { answer: json(200, { MessageId }), provider_reference: MessageId };
  },
  async checked(request) {
    if (!String(request.headers['x-amz-target']).endsWith('.DescribeAccountAttributes')) return undefined;
    // The key of the tests may only send.
    return (await isSigned(request)) ? problem(400, 'AccessDeniedException') : unrecognized;
  },
  wrong: [
    [
      { secretAccessKey: 'other' },
      'it responded with 400: correct AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY, and the clock',
    ],
  ],
  refusals: [
    [
      problem(400, 'ConflictException', { Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' }),
      'permanent-failure',
      'the recipient opted out',
    ],
    [
      problem(400, 'ValidationException', { Fields: [{ Name: 'DestinationPhoneNumber', Message: '+447700900123' }] }),
      'technical-failure',
      'ValidationException: recipient',
    ],
    [
      problem(400, 'ValidationException', { Reason: 'DESTINATION_COUNTRY_BLOCKED' }),
      'technical-failure',
      'the country of the number is blocked at AWS',
    ],
  ],
  misconfigured: [
    [unrecognized, 'answered 400: correct AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY, and the clock'],
    [problem(400, 'AccessDeniedException'), 'answered 400: allow sms-voice:SendTextMessage for the AWS credentials'],
    [
      problem(400, 'ConflictException', { Reason: 'DESTINATION_PHONE_NUMBER_NOT_VERIFIED' }),
      'answered 400: the AWS account is in the SMS sandbox: request production access',
    ],
    [problem(400, 'ValidationException', { Reason: 'CANNOT_PARSE' }), 'answered 400: ValidationException CANNOT_PARSE'],
    [problem(400, 'ThrottlingException'), 'answered 400: ThrottlingException'],
    [problem(500, 'InternalServerException'), 'answered 500: InternalServerException'],
  ],
  throttled: () => [[{ ...problem(429, 'ThrottlingException'), headers: { 'retry-after': '7' } }, 7]],
  nonsense: [{ status: 200, body: 'OK' }, json(200, {}), json(200, [])],
  events: [
    ['a delivery', (id) => event(id, 'TEXT_DELIVERED'), 'delivered'],
    ['a success', (id) => event(id, 'TEXT_SUCCESSFUL'), 'delivered'],
    ['an invalid number', (id) => event(id, 'TEXT_INVALID'), 'permanent-failure'],
    ['a block', (id) => event(id, 'TEXT_BLOCKED'), 'permanent-failure'],
    ['a block by the carrier', (id) => event(id, 'TEXT_CARRIER_BLOCKED'), 'permanent-failure'],
    ['a phone that is off', (id) => event(id, 'TEXT_UNREACHABLE'), 'temporary-failure'],
    ['a carrier that is off', (id) => event(id, 'TEXT_CARRIER_UNREACHABLE'), 'temporary-failure'],
    ['an expiry', (id) => event(id, 'TEXT_TTL_EXPIRED'), 'temporary-failure'],
    ['nothing for 72 hours', (id) => event(id, 'TEXT_UNKNOWN'), 'temporary-failure'],
    ['a message for spam', (id) => event(id, 'TEXT_SPAM'), 'technical-failure'],
    ['a step', (id) => ({ ...event(id, 'TEXT_SUCCESSFUL'), isFinal: false }), 'sending'],
    ['a queue', (id) => event(id, 'TEXT_QUEUED'), 'sending'],
  ],
  webhook: (event) => signed(event),
  forgeries(event) {
    const old = '2026-11-15T10:30:00.000Z';
    return [
      ['no signature', signed(event, { Signature: undefined }), 403],
      ['the signature of another key', signed(event, {}, stranger), 403],
      ['another message', signed(event, { Message: JSON.stringify({ ...event, isFinal: true, x: 1 }) }), 403],
      ['another topic', signed({ ...event }, { TopicArn: `${topic}-of-another-account` }), 403],
      ['a time more than an hour ago', signed(event, { Timestamp: old }, certificate, old), 403],
      ['no signature for an envelope that is none', { method: 'POST', url: path, payload: '{}' }, 403],
      ['text', { method: 'POST', url: path, payload: 'text' }, 400],
    ];
  },
  oddities: [
    {},
    { eventType: 'TEXT_DELIVERED' },
    { eventType: ['x'], context: 'x' },
    event('a\u0000b', 'TEXT_BLOCKED'),
  ],
};

function event(notification_id: string, eventType: string) {
  return {
    ...{ eventType, eventVersion: '1.0', eventTimestamp: Date.parse('2026-11-15T12:00:01Z'), isFinal: true },
    ...{ originationPhoneNumber: 'TESTING', destinationPhoneNumber: '+447700900123', isoCountryCode: 'GB' },
    ...{ messageId: '862a8790-60c0-4430-9b2b-658bdexample', messageStatus: eventType.slice(5) },
    ...{ messageType: 'TRANSACTIONAL', context: { notification_id }, totalMessageParts: 1 },
  };
}

/** An SNS envelope; `change` is made after signing. */
function signed(
  event: object,
  change: object = {},
  key = certificate,
  Timestamp = '2026-11-15T12:00:00.000Z',
): InjectOptions {
  const envelope = {
    ...{ Type: 'Notification', MessageId: 'sns-1', TopicArn: topic, Message: JSON.stringify(event), Timestamp },
    ...{ SignatureVersion: '2', SigningCertURL: amazonCertificate.host + amazonCertificate.path },
  };
  const Signature = createSign('RSA-SHA256')
    .update(textToSign(envelope) ?? '')
    .sign(key.privateKey, 'base64');
  const headers = { 'content-type': 'text/plain; charset=UTF-8' };
  return { method: 'POST', url: path, headers, payload: JSON.stringify({ ...envelope, Signature, ...change }) };
}
