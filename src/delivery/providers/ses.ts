import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import { isUuid } from '../../platform/id.ts';
import { awsCredentials, NoAwsCredentials } from '../../platform/storage/aws-credentials.ts';
import { signedHeaders } from '../../platform/storage/aws-signature.ts';
import { type HttpResponse, ProviderHttpClient, retryOf } from './http-client.ts';
import { unsubscribeHeaders } from './mime.ts';
import type { EmailMessage, Outcome, Provider, Receipt, ReceiptStatus } from './provider.ts';

interface Deps {
  clock: Clock;
  config: Pick<
    Config,
    | 'SES_REGION'
    | 'SES_URL'
    | 'SES_ACCESS_KEY_ID'
    | 'SES_SECRET_ACCESS_KEY'
    | 'SES_CONFIGURATION_SET'
    | 'DELIVERY_CONCURRENCY'
  >;
}

/** A tag that identifies the message even before its SES message id is recorded. */
const referenceTag = 'notification_id';

/** Amazon SES, API version 2. */
export function ses({ config, clock }: Deps): Provider<EmailMessage> {
  const http = new ProviderHttpClient(config);
  const base = config.SES_URL ?? `https://email.${config.SES_REGION}.amazonaws.com`;
  const url = `${base}/v2/email/outbound-emails`;
  const region = config.SES_REGION;
  const credentials = awsCredentials({
    region,
    access_key_id: config.SES_ACCESS_KEY_ID,
    secret_access_key: config.SES_SECRET_ACCESS_KEY,
  });
  const signed = async (request: { method: string; url: string; headers: Record<string, string>; body: string }) =>
    signedHeaders({ region, service: 'ses', ...(await credentials()) }, request, clock.now());
  return {
    name: 'ses',
    close: () => http.close(),
    async check() {
      const url = `${base}/v2/email/account`;
      const { status, body } = await http.ping(url, await signed({ method: 'GET', url, headers: {}, body: '' }));
      // AccessDenied means that the key is valid, but only allowed to send.
      if (status === 403 && !body.includes('AccessDenied')) {
        const given = config.SES_ACCESS_KEY_ID !== undefined;
        const credentials = given ? 'SES_ACCESS_KEY_ID and SES_SECRET_ACCESS_KEY' : 'the AWS credentials';
        throw new Error(`it responded with 403: correct ${credentials}, and the clock`);
      }
    },
    async send(message) {
      const body = JSON.stringify(requestOf(message, config.SES_CONFIGURATION_SET));
      const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body };
      const headers = await signed(request).catch(reasonOfNoCredentials);
      if (typeof headers === 'string') return { kind: 'retry', reason: headers };
      const called = await http.post(url, headers, body);
      return 'failed' in called ? called.failed : outcomeOf(called.response);
    },
  };
}

/** An operator can fix it while the message waits. */
function reasonOfNoCredentials(error: unknown): string {
  if (error instanceof NoAwsCredentials) return error.message;
  throw error;
}

function requestOf(message: EmailMessage, configurationSet: string | undefined) {
  const { reference, from, to, reply_to, subject, text, html, unsubscribe_url } = message;
  const data = (Data: string) => ({ Data, Charset: 'UTF-8' });
  const headers = Object.entries(unsubscribeHeaders(unsubscribe_url)).map(([Name, Value]) => ({ Name, Value }));
  return {
    FromEmailAddress: mailbox(from),
    Destination: { ToAddresses: [to] },
    ...(reply_to ? { ReplyToAddresses: [reply_to] } : {}),
    Content: {
      Simple: {
        Subject: data(subject),
        Body: { Text: data(text), Html: data(html) },
        ...(headers.length > 0 ? { Headers: headers } : {}),
      },
    },
    EmailTags: [{ Name: referenceTag, Value: reference }],
    ...(configurationSet ? { ConfigurationSetName: configurationSet } : {}),
  };
}

/** A non-ASCII name becomes an encoded word (RFC 2047). */
function mailbox({ name, address }: EmailMessage['from']): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
  return `=?UTF-8?B?${Buffer.from(name).toString('base64')}?= <${address}>`;
}

function outcomeOf(response: HttpResponse): Outcome {
  const { status, json = {} } = response;
  if (status < 300 && typeof json.MessageId === 'string') {
    return { kind: 'accepted', provider_reference: json.MessageId };
  }
  const problem = String(json.__type ?? json.code ?? '');
  const text = String(json.message ?? json.Message ?? '');
  // An invalid address is permanent; other errors may be temporary, such as an unverified domain or a paused account.
  if (status === 400 && /BadRequest|InvalidParameter|MessageRejected/.test(problem) && /address/i.test(text)) {
    return { kind: 'refused', reason: problem, status: 'technical-failure' };
  }
  return retryOf(response);
}

/** The parts of an SES notification that we use. It comes in an SNS envelope. */
export interface SesEvent {
  notificationType?: string;
  eventType?: string;
  mail?: { messageId?: string; timestamp?: string; tags?: Record<string, string[]> };
  bounce?: { bounceType?: string };
  complaint?: { feedbackId?: string; complaintFeedbackType?: string; timestamp?: string };
}

export interface SesComplaint {
  reference: string;
  feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: string | null;
}

type SesMeaning =
  | { kind: 'receipt'; receipt: Receipt; mailed_at: Date | undefined }
  | { kind: 'complaint'; complaint: SesComplaint; mailed_at: Date | undefined }
  | { kind: 'nothing' };

export function meaningOfSesEvent(event: SesEvent): SesMeaning {
  const kind = event.notificationType ?? event.eventType;
  const reference = event.mail?.messageId;
  if (typeof reference !== 'string' || reference === '') return { kind: 'nothing' };
  const mailed_at = dateOf(event.mail?.timestamp);
  if (kind === 'Complaint') {
    const { feedbackId, complaintFeedbackType, timestamp } = event.complaint ?? {};
    const complaint = {
      reference,
      feedback_id: textOf(feedbackId),
      complaint_type: textOf(complaintFeedbackType),
      complaint_date: dateOf(timestamp)?.toISOString() ?? null,
    };
    return { kind: 'complaint', complaint, mailed_at };
  }
  const status = statusOf(kind, event.bounce?.bounceType);
  if (!status) return { kind: 'nothing' };
  const receipt = {
    provider: 'ses',
    proven: true,
    notification_type: 'email' as const,
    reference,
    statusFor: () => status,
  };
  return { kind: 'receipt', receipt, mailed_at };
}

/** Our id in the tags, for a receipt that arrives before its message id is recorded. */
export function taggedReference(event: SesEvent): string | undefined {
  const tagged = event.mail?.tags?.[referenceTag];
  return Array.isArray(tagged) && isUuid(tagged[0]) ? tagged[0] : undefined;
}

function statusOf(kind: string | undefined, bounceType: string | undefined): ReceiptStatus | undefined {
  if (kind === 'Delivery') return 'delivered';
  if (kind === 'Bounce') return bounceType === 'Permanent' ? 'permanent-failure' : 'temporary-failure';
  return undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function dateOf(text: unknown): Date | undefined {
  const date = new Date(typeof text === 'string' ? text : '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}
