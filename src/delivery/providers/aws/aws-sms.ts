import type { Http } from '../../../platform/http/surface.ts';
import * as setting from '../../../platform/setting.ts';
import type { ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Outcome, Provider, TextMessage } from '../provider.ts';
import type { ReceiptStatus } from '../reports.ts';
import { plainText } from '../webhooks.ts';
import { awsSigner, credentialAdvice } from './aws-signer.ts';
import { snsWebhook } from './sns-webhook.ts';

const settings = {
  region: setting.text('AWS_SMS_REGION', 'AWS region for sending text messages.', { fallback: 'eu-west-2' }),
  url: setting.optionalText('AWS_SMS_URL', 'URL of AWS End User Messaging SMS, if not the default of the region.'),
  accessKeyId: setting.optionalText(
    'AWS_SMS_ACCESS_KEY_ID',
    'AWS access key with the permission `sms-voice:SendTextMessage`. Unset: an AWS profile, a web identity, or the role of the container or instance.',
  ),
  secretAccessKey: setting.optionalText('AWS_SMS_SECRET_ACCESS_KEY', 'Secret of AWS_SMS_ACCESS_KEY_ID.', {
    secret: true,
  }),
  configurationSet: setting.optionalText(
    'AWS_SMS_CONFIGURATION_SET',
    'Configuration set of AWS End User Messaging SMS that publishes receipts to SNS.',
  ),
  originationIdentity: setting.optionalText(
    'AWS_SMS_ORIGINATION_IDENTITY',
    'Pool, phone number or sender id that sends all text messages. Unset: the sender of each message, which must be registered at AWS.',
  ),
  topicArns: setting.list(
    'AWS_SMS_TOPIC_ARNS',
    'Comma-separated SNS topics whose signed receipts are accepted. `*` accepts any topic in AWS_SMS_REGION, including those of other AWS accounts. Required for the provider aws-sms.',
    { fallback: [], fallbackText: '(unset)' },
  ),
};

/** AWS End User Messaging SMS (formerly Amazon Pinpoint SMS), API version 2. */
export const awsSms = {
  name: 'aws-sms' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c25',
    display_name: 'AWS End User Messaging',
    priority: 50,
    supports_international: true,
  },
  settings,
  required: ['configurationSet'],
  together: ['accessKeyId', 'secretAccessKey'],
  problems: ({ topicArns }) =>
    topicArns?.length === 0
      ? [
          'AWS_SMS_TOPIC_ARNS must be set for the provider aws-sms: name the SNS topics of its receipts, or * for any topic',
        ]
      : [],
  guide: 'aws-sms',
  open,
  receipts,
} satisfies SmsDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const { region, configurationSet, originationIdentity } = app.settings;
  const url = `${app.settings.url ?? `https://sms-voice.${region}.amazonaws.com`}/`;
  const signer = awsSigner(app, 'sms-voice');
  const requestOf = (action: string, fields: object) => ({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `PinpointSMSVoiceV2.${action}` },
    body: JSON.stringify(fields),
  });
  return {
    name: 'aws-sms',
    close: () => http.close(),
    async check() {
      const request = requestOf('DescribeAccountAttributes', {});
      const response = await http.ping(url, await signer.sign(request), request.body);
      // AccessDenied means that the key is valid, but only allowed to send.
      if (badCredentials.test(problemOf(response))) {
        throw new Error(`it responded with ${response.status}: ${credentialAdvice(app.settings, 'AWS_SMS')}`);
      }
    },
    async send({ reference, to, sender, text }) {
      const request = requestOf('SendTextMessage', {
        DestinationPhoneNumber: `+${to}`,
        OriginationIdentity: originationIdentity ?? identityOf(sender),
        MessageBody: text,
        MessageType: 'TRANSACTIONAL',
        ConfigurationSetName: configurationSet,
        Context: { [referenceKey]: reference },
      });
      const signed = await signer.signToSend(request);
      if ('failed' in signed) return signed.failed;
      const called = await http.request(url, signed.headers, request.body);
      return 'failed' in called ? called.failed : outcomeOf(called.response, app.settings);
    },
  };
}

/** A phone number has a plus sign, a sender id has none. */
function identityOf(sender: string): string {
  return /^\d{9,15}$/.test(sender) ? `+${sender}` : sender;
}

const badCredentials = /UnrecognizedClient|InvalidSignature|IncompleteSignature|ExpiredToken|InvalidClientToken/;

/** Returns the name of an error without its namespace. */
function problemOf({ json }: HttpResponse): string {
  return plainText(json?.__type).replace(/^.*#/, '');
}

/** What an operator must correct, by the reason of a `ConflictException` or `ValidationException`. */
const reasonAdvice = new Map([
  ['DESTINATION_PHONE_NUMBER_NOT_VERIFIED', 'the AWS account is in the SMS sandbox: request production access'],
  ['NO_ORIGINATION_IDENTITIES_FOUND', 'register a phone number or sender id at AWS'],
  ['SENDER_ID_NOT_REGISTERED', 'register the sender of the service at AWS, or set AWS_SMS_ORIGINATION_IDENTITY'],
  ['SENDER_ID_REQUIRES_REGISTRATION', 'register the sender of the service at AWS, or set AWS_SMS_ORIGINATION_IDENTITY'],
  ['SENDER_ID_NOT_SUPPORTED', 'the country of the number allows no sender ids: set AWS_SMS_ORIGINATION_IDENTITY'],
]);

const permissionAdvice = 'allow sms-voice:SendTextMessage for the AWS credentials';
const resourceAdvice =
  'correct AWS_SMS_CONFIGURATION_SET, and register the sender of the service at AWS or set AWS_SMS_ORIGINATION_IDENTITY';

function outcomeOf(response: HttpResponse, app: Parameters<typeof credentialAdvice>[0]): Outcome {
  const { status, json } = response;
  if (status === 200 && typeof json?.MessageId === 'string') {
    return { kind: 'accepted', provider_reference: json.MessageId };
  }
  const problem = problemOf(response);
  const reason = plainText(json?.Reason);
  const fields = Array.isArray(json?.Fields) ? json.Fields : [];
  if (reason === 'DESTINATION_PHONE_NUMBER_OPTED_OUT') {
    return { kind: 'refused', reason: 'the recipient opted out', status: 'permanent-failure', opted_out: true };
  }
  if (problem === 'ValidationException' && fields.some((field) => field?.Name === 'DestinationPhoneNumber')) {
    return { kind: 'refused', reason: `${problem}: recipient`, status: 'technical-failure' };
  }
  if (reason === 'DESTINATION_COUNTRY_BLOCKED') {
    return { kind: 'refused', reason: 'the country of the number is blocked at AWS', status: 'technical-failure' };
  }
  if (badCredentials.test(problem)) return retryOf(response, credentialAdvice(app, 'AWS_SMS'));
  if (problem === 'AccessDeniedException') return retryOf(response, permissionAdvice);
  if (problem === 'ResourceNotFoundException') return retryOf(response, resourceAdvice);
  const named = reason === '' ? problem : `${problem} ${reason}`;
  return retryOf(response, reasonAdvice.get(reason) ?? (named === '' ? undefined : named));
}

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  snsWebhook<AwsSmsEvent>(http, app, {
    path: '/notifications/sms/aws-sms',
    name: 'AWS SMS',
    summary: 'Delivery event from AWS End User Messaging SMS',
    region: app.settings.region,
    topics: app.settings.topicArns,
    verifySignatures: true,
    async record(event) {
      const status = statusOfAwsSmsEvent(event);
      const reference = event.context?.[referenceKey];
      if (!status || typeof reference !== 'string') return;
      const at = typeof event.eventTimestamp === 'number' ? new Date(event.eventTimestamp) : undefined;
      const receipt = { provider: 'aws-sms', proven: true, notification_type: 'sms' as const, reference };
      const reason = [event.eventType, event.messageStatusDescription].map(plainText).filter(Boolean).join(': ');
      await app.recordReceipt({ ...receipt, reason, at, statusFor: () => status });
    },
  });
}

/** The key of our id in the context of a message. Each event about the message contains it. */
const referenceKey = 'notification_id';

/** The parts of an event that we use. It comes in an SNS envelope. */
interface AwsSmsEvent {
  eventType?: unknown;
  eventTimestamp?: unknown;
  isFinal?: unknown;
  messageStatusDescription?: unknown;
  context?: Record<string, unknown> | null;
}

const statuses = new Map<unknown, ReceiptStatus>([
  ['TEXT_DELIVERED', 'delivered'],
  // In some countries this is the only status that carriers report.
  ['TEXT_SUCCESSFUL', 'delivered'],
  ['TEXT_INVALID', 'permanent-failure'],
  ['TEXT_BLOCKED', 'permanent-failure'],
  ['TEXT_CARRIER_BLOCKED', 'permanent-failure'],
  ['TEXT_UNREACHABLE', 'temporary-failure'],
  ['TEXT_CARRIER_UNREACHABLE', 'temporary-failure'],
  ['TEXT_TTL_EXPIRED', 'temporary-failure'],
  // No carrier reported anything within 72 hours.
  ['TEXT_UNKNOWN', 'temporary-failure'],
  ['TEXT_INVALID_MESSAGE', 'technical-failure'],
  ['TEXT_SPAM', 'technical-failure'],
  ['TEXT_PROTECT_BLOCKED', 'technical-failure'],
]);

/** Returns undefined if the event is not final. */
function statusOfAwsSmsEvent({ eventType, isFinal }: AwsSmsEvent): ReceiptStatus | undefined {
  return isFinal === false ? undefined : statuses.get(eventType);
}
