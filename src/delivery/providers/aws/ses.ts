import type { Http } from '../../../platform/http/surface.ts';
import { isUuid } from '../../../platform/id.ts';
import * as setting from '../../../platform/setting.ts';
import type { DomainAtProvider } from '../../../sending-domains/domain-providers.ts';
import type { EmailDescriptor, ProviderDeps, ReceiptDeps } from '../descriptor.ts';
import { fetchJson, type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import { furtherHeaders, mailbox, mimeOf } from '../mime.ts';
import type { EmailMessage, Outcome, Provider } from '../provider.ts';
import type { Receipt, ReceiptStatus, ReportedComplaint } from '../reports.ts';
import { plainText } from '../webhooks.ts';
import { awsSigner, credentialAdvice } from './aws-signer.ts';
import { snsWebhook } from './sns-webhook.ts';

const settings = {
  region: setting.text('SES_REGION', 'AWS region for sending email.', { fallback: 'eu-west-2' }),
  url: setting.optionalText('SES_URL', 'URL of Amazon SES, if not the default of the region.'),
  accessKeyId: setting.optionalText(
    'SES_ACCESS_KEY_ID',
    'AWS access key with permission to send email through Amazon SES. Unset: an AWS profile, a web identity, or the role of the container or instance.',
  ),
  secretAccessKey: setting.optionalText('SES_SECRET_ACCESS_KEY', 'Secret of SES_ACCESS_KEY_ID.', { secret: true }),
  configurationSet: setting.optionalText(
    'SES_CONFIGURATION_SET',
    'Amazon SES configuration set that publishes receipts to SNS.',
  ),
  verifySignatures: setting.flag(
    'SES_VERIFY_SIGNATURES',
    'Accept email receipts only with a valid SNS signature. Set to false only on a trusted network.',
    { fallback: true },
  ),
  topicArns: setting.list(
    'SES_TOPIC_ARNS',
    'Comma-separated SNS topics whose signed receipts are accepted. `*` accepts any topic in SES_REGION, including those of other AWS accounts. Required for the provider ses.',
    { fallback: [], fallbackText: '(unset)' },
  ),
};

/** Amazon SES, API version 2. */
export const ses = {
  name: 'ses' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c05',
    display_name: 'Amazon SES',
    priority: 50,
    supports_international: false,
  },
  settings,
  domains: { kind: 'has-keys', lookUp },
  together: ['accessKeyId', 'secretAccessKey'],
  problems: ({ verifySignatures, topicArns }) =>
    verifySignatures && topicArns?.length === 0
      ? ['SES_TOPIC_ARNS must be set for the provider ses: name the SNS topics of its receipts, or * for any topic']
      : [],
  open,
  receipts,
  retryReceipt: recordEvent,
} satisfies EmailDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<EmailMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const base = app.settings.url ?? `https://email.${app.settings.region}.amazonaws.com`;
  const url = `${base}/v2/email/outbound-emails`;
  const signer = awsSigner(app, 'ses');
  return {
    name: 'ses',
    close: () => http.close(),
    async check() {
      const url = `${base}/v2/email/account`;
      const { status, body } = await http.ping(url, await signer.sign({ method: 'GET', url, headers: {}, body: '' }));
      // AccessDenied means that the key is valid, but only allowed to send.
      if (status === 403 && !body.includes('AccessDenied')) {
        throw new Error(`it responded with 403: ${credentialAdvice(app.settings, 'SES')}`);
      }
    },
    async send(message) {
      const body = JSON.stringify({
        ...requestOf(message, app.settings.configurationSet),
        ...(message.attachments && {
          Content: { Raw: { Data: (await mimeOf(message, app.clock.now())).toString('base64') } },
        }),
      });
      const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body };
      const signed = await signer.signToSend(request);
      if ('failed' in signed) return signed.failed;
      const called = await http.request(url, signed.headers, body);
      return 'failed' in called ? called.failed : outcomeOf(called.response);
    },
  };
}

interface IdentityAtSes {
  VerifiedForSendingStatus?: boolean;
  DkimAttributes?: { Status?: string; Tokens?: string[] };
}

/** Reads the records for Easy DKIM: three tokens, one record each. The access key needs the permission ses:GetEmailIdentity. */
async function lookUp(app: ProviderDeps<typeof settings>, name: string): Promise<DomainAtProvider | undefined> {
  const base = app.settings.url ?? `https://email.${app.settings.region}.amazonaws.com`;
  const url = `${base}/v2/email/identities/${encodeURIComponent(name)}`;
  const signed = await awsSigner(app, 'ses').signToSend({ method: 'GET', url, headers: {}, body: '' });
  if ('failed' in signed) return undefined;
  const identity = (await fetchJson(url, signed.headers)) as IdentityAtSes | undefined;
  const { Tokens = [], Status } = identity?.DkimAttributes ?? {};
  if (Tokens.length === 0) return undefined;
  return {
    records: Tokens.map((token) => ({
      ...{ type: 'CNAME' as const, purpose: 'signature' as const },
      name: `${token}._domainkey.${name}`,
      value: `${token}.dkim.amazonses.com`,
    })),
    verified: Status === 'SUCCESS' && identity?.VerifiedForSendingStatus === true,
  };
}

function requestOf(message: EmailMessage, configurationSet: string | undefined) {
  const { reference, from, to, reply_to, subject, text, html } = message;
  const data = (Data: string) => ({ Data, Charset: 'UTF-8' });
  const headers = Object.entries(furtherHeaders(message)).map(([Name, Value]) => ({ Name, Value }));
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

/** Receives receipts, bounces and complaints through SNS. */
function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  snsWebhook<SesEvent>(http, app, {
    path: '/notifications/email/ses',
    name: 'SES',
    summary: 'Receipt, bounce or complaint from Amazon SES',
    region: app.settings.region,
    topics: app.settings.topicArns,
    verifySignatures: app.settings.verifySignatures,
    record: (event) => recordEvent(app, event),
  });
}

async function recordEvent(app: ReceiptDeps<typeof settings>, event: SesEvent): Promise<void> {
  const meaning = meaningOfSesEvent(event);
  if (meaning.kind === 'nothing') return;
  // The tags always contain our id; the message id is known only after the hand-over was recorded.
  const reference = taggedReference(event);
  const ours = reference ? { reference } : {};
  const outcome =
    meaning.kind === 'receipt'
      ? await app.recordReceipt({ ...meaning.receipt, ...ours })
      : await app.recordComplaint({ ...meaning.complaint, ...ours });
  if (outcome === 'known') return;
  const { kind, mailed_at: sent_at } = meaning;
  const { reference: theirs } = meaning.kind === 'receipt' ? meaning.receipt : meaning.complaint;
  await app.retryUnmatched(withoutAddresses(event), { kind, sent_at, reference: reference ?? theirs });
}

/** A tag that identifies the message even before its SES message id is recorded. */
const referenceTag = 'notification_id';

/** The parts of an SES notification that we use. It comes in an SNS envelope. */
interface SesEvent {
  notificationType?: string;
  eventType?: string;
  mail?: { messageId?: string; timestamp?: string; tags?: Record<string, string[]> };
  bounce?: { bounceType?: string; bounceSubType?: string; bouncedRecipients?: { diagnosticCode?: string }[] };
  complaint?: { feedbackId?: string; complaintFeedbackType?: string; timestamp?: string };
}

type SesMeaning =
  | { kind: 'receipt'; receipt: Receipt; mailed_at: Date | undefined }
  | { kind: 'complaint'; complaint: ReportedComplaint; mailed_at: Date | undefined }
  | { kind: 'nothing' };

function meaningOfSesEvent(event: SesEvent): SesMeaning {
  const kind = event.notificationType ?? event.eventType;
  const reference = event.mail?.messageId;
  if (typeof reference !== 'string' || reference === '') return { kind: 'nothing' };
  const mailed_at = dateOf(event.mail?.timestamp);
  if (kind === 'Complaint') {
    const { feedbackId, complaintFeedbackType, timestamp } = event.complaint ?? {};
    const complaint = {
      provider: 'ses',
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
    reason: reasonOf(event.bounce),
    statusFor: () => status,
  };
  return { kind: 'receipt', receipt, mailed_at };
}

function reasonOf(bounce: SesEvent['bounce']): string {
  const kind = [bounce?.bounceType, bounce?.bounceSubType].map(plainText).filter(Boolean).join(' ');
  return [kind, diagnosisOf(bounce)].filter(Boolean).join(': ');
}

/** Returns the response of the mail server that refused the email. */
function diagnosisOf(bounce: SesEvent['bounce']): string {
  const [first] = Array.isArray(bounce?.bouncedRecipients) ? bounce.bouncedRecipients : [];
  return plainText(first?.diagnosticCode);
}

/** Returns our id from the tags, for a receipt that arrives before the message id is recorded. */
function taggedReference(event: SesEvent): string | undefined {
  const tagged = event.mail?.tags?.[referenceTag];
  return Array.isArray(tagged) && isUuid(tagged[0]) ? tagged[0] : undefined;
}

/** Removes addresses before the event is stored for a retry. */
function withoutAddresses({ notificationType, eventType, mail, bounce, complaint }: SesEvent): SesEvent {
  return {
    notificationType,
    eventType,
    mail: { messageId: mail?.messageId, timestamp: mail?.timestamp, tags: mail?.tags },
    bounce: {
      bounceType: bounce?.bounceType,
      bounceSubType: bounce?.bounceSubType,
      bouncedRecipients: [
        {
          diagnosticCode: diagnosisOf(bounce)
            .replaceAll(/\S+@\S+/g, '[address]')
            .slice(0, 500),
        },
      ],
    },
    complaint: {
      feedbackId: complaint?.feedbackId,
      complaintFeedbackType: complaint?.complaintFeedbackType,
      timestamp: complaint?.timestamp,
    },
  };
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
