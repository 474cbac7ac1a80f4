import { Type } from 'typebox';
import { acceptsLongText } from '../../../platform/http/body/body-limits.ts';
import type { Http } from '../../../platform/http/surface.ts';
import * as setting from '../../../platform/setting.ts';
import { adminErrors } from '../../../protocol/error-bodies.ts';
import type { DomainAtProvider } from '../../../sending-domains/domain-providers.ts';
import type { EmailDescriptor, ProviderDeps, ReceiptDeps } from '../descriptor.ts';
import { fetchJson, type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import { furtherHeaders, mailbox, messageIdOf } from '../mime.ts';
import type { EmailMessage, Outcome, Provider } from '../provider.ts';
import type { ReceiptStatus } from '../reports.ts';
import { Anything, plainText, receiptResponses, refuseUnlessGateway, utcTime } from '../webhooks.ts';
import { type EmailEvent, fieldsOf, recordEmailEvents, referenceField } from './email-events.ts';

const settings = {
  url: setting.url('POSTMARK_URL', 'Base URL of the Postmark API.', { fallback: 'https://api.postmarkapp.com' }),
  serverToken: setting.optionalText('POSTMARK_SERVER_TOKEN', 'API token of the Postmark server.', { secret: true }),
  accountToken: setting.optionalText(
    'POSTMARK_ACCOUNT_TOKEN',
    'API token of the Postmark account, which reads the records of sending domains. Unset: operators paste them.',
    { secret: true },
  ),
  messageStream: setting.text('POSTMARK_MESSAGE_STREAM', 'Message stream of the Postmark server for all email.', {
    fallback: 'outbound',
  }),
  webhookAuth: setting.optionalText(
    'POSTMARK_WEBHOOK_AUTH',
    '`user:password` that Postmark sends with its webhooks, as set at Postmark.',
    { secret: true },
  ),
};

export const postmark = {
  name: 'postmark' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c21',
    display_name: 'Postmark',
    priority: 50,
    supports_international: false,
  },
  settings,
  domains: { kind: 'has-keys', lookUp },
  required: ['serverToken', 'webhookAuth'],
  guide: 'postmark',
  open,
  receipts,
} satisfies EmailDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<EmailMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const { url, messageStream, serverToken = '' } = app.settings;
  const headers = { accept: 'application/json', 'x-postmark-server-token': serverToken };
  return {
    name: 'postmark',
    close: () => http.close(),
    async check() {
      const { status } = await http.ping(`${url}/server`, headers);
      if (status === 401) throw new Error(`it responded with 401: ${tokenAdvice}`);
    },
    async send(message) {
      const body = JSON.stringify(requestOf(message, messageStream));
      const called = await http.request(`${url}/email`, { ...headers, 'content-type': 'application/json' }, body);
      return 'failed' in called ? called.failed : outcomeOf(called.response);
    },
  };
}

interface DomainAtPostmark {
  ID?: number;
  Name?: string;
  DKIMVerified?: boolean;
  DKIMPendingHost?: string;
  DKIMPendingTextValue?: string;
  DKIMHost?: string;
  DKIMTextValue?: string;
  ReturnPathDomain?: string;
  ReturnPathDomainCNAMEValue?: string;
  ReturnPathDomainVerified?: boolean;
}

/** A key that is not published yet is in the `DKIMPending` fields. */
async function lookUp(app: ProviderDeps<typeof settings>, name: string): Promise<DomainAtProvider | undefined> {
  const { url, accountToken } = app.settings;
  if (accountToken === undefined) return undefined;
  const headers = { accept: 'application/json', 'x-postmark-account-token': accountToken };
  const list = await fetchJson(`${url}/domains?count=500&offset=0`, headers);
  const known = (list?.Domains ?? []) as DomainAtPostmark[];
  const id = known.find((domain) => domain.Name?.toLowerCase() === name)?.ID;
  if (id === undefined) return undefined;
  const domain = (await fetchJson(`${url}/domains/${id}`, headers)) as DomainAtPostmark | undefined;
  if (!domain) return undefined;
  const host = domain.DKIMPendingHost || domain.DKIMHost;
  const key = domain.DKIMPendingTextValue || domain.DKIMTextValue;
  const { ReturnPathDomain: path, ReturnPathDomainCNAMEValue: target } = domain;
  return {
    records: [
      ...(host && key ? [{ type: 'TXT' as const, name: host, value: key, purpose: 'signature' as const }] : []),
      ...(path && target
        ? [{ type: 'CNAME' as const, name: path, value: target, purpose: 'return-path' as const }]
        : []),
    ],
    verified: domain.DKIMVerified === true && (!path || domain.ReturnPathDomainVerified === true),
  };
}

function requestOf(message: EmailMessage, messageStream: string) {
  const all = {
    'Message-ID': messageIdOf(message),
    // Otherwise Postmark replaces the Message-ID.
    'X-PM-KeepID': 'true',
    ...furtherHeaders(message),
  };
  return {
    From: mailbox(message.from),
    To: message.to,
    ...(message.reply_to ? { ReplyTo: message.reply_to } : {}),
    Subject: message.subject,
    TextBody: message.text,
    HtmlBody: message.html,
    Headers: Object.entries(all).map(([Name, Value]) => ({ Name, Value })),
    Metadata: { [referenceField]: message.reference },
    MessageStream: messageStream,
    ...(message.attachments && {
      Attachments: message.attachments.map(({ filename, mime_type, content }) => ({
        Name: filename,
        ContentType: mime_type,
        Content: content.toString('base64'),
      })),
    }),
    // Tracking rewrites links and adds a tracking pixel.
    TrackOpens: false,
    TrackLinks: 'None',
  };
}

const tokenAdvice = 'correct POSTMARK_SERVER_TOKEN';

/** Advice for errors of the account, by Postmark's error code. */
const configurationAdvice = new Map([
  [10, tokenAdvice],
  [400, 'add EMAIL_DOMAIN as a sender signature or domain at Postmark'],
  [401, 'confirm the sender signature or domain at Postmark'],
  [405, 'the Postmark account may not send: it has no credits left'],
  [412, 'the Postmark account waits for approval, so it may only send to its own domain'],
  [413, 'the Postmark account may not send: contact Postmark'],
  [1235, 'correct POSTMARK_MESSAGE_STREAM'],
]);

/** Postmark no longer sends to an address that bounced or complained about spam. */
const inactiveRecipient = 406;
const invalidRequest = 300;

function outcomeOf(response: HttpResponse): Outcome {
  const { status, json } = response;
  if (status === 200 && json?.ErrorCode === 0 && typeof json.MessageID === 'string') {
    return { kind: 'accepted', provider_reference: json.MessageID };
  }
  const code = Number(json?.ErrorCode);
  if (status === 422 && code === inactiveRecipient) {
    return { kind: 'refused', reason: `error ${code}: inactive recipient`, status: 'permanent-failure' };
  }
  if (status === 422 && code === invalidRequest && /'To'/.test(plainText(json?.Message))) {
    return { kind: 'refused', reason: `error ${code}: recipient`, status: 'technical-failure' };
  }
  return retryOf(response, configurationAdvice.get(code) ?? (code > 0 ? `error ${code}` : undefined));
}

const Event = Type.Object(
  {
    RecordType: Anything,
    Type: Anything,
    ID: Anything,
    Metadata: Anything,
    BouncedAt: Anything,
    DeliveredAt: Anything,
  },
  { additionalProperties: true },
);

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/email/postmark',
    {
      schema: {
        summary: 'Delivery, bounce or spam complaint from Postmark (basic authentication)',
        body: Event,
        response: { ...receiptResponses, 401: adminErrors.errorSchema },
      },
      // A bounce may contain the bounced message.
      ...acceptsLongText,
      onRequest: async ({ headers }) => refuseUnlessGateway(headers.authorization, app.settings.webhookAuth),
    },
    async ({ body }) => {
      await recordEmailEvents(app, 'postmark', eventsIn(body));
      return { result: 'success' as const };
    },
  );
}

function eventsIn(event: Record<string, unknown>): EmailEvent[] {
  const reference = fieldsOf(event.Metadata)[referenceField];
  const { RecordType, Type: type } = event;
  if (RecordType === 'Delivery') {
    return [{ kind: 'receipt', reference, status: 'delivered', at: utcTime(event.DeliveredAt) }];
  }
  const at = utcTime(event.BouncedAt);
  if (RecordType === 'SpamComplaint' || (RecordType === 'Bounce' && type === 'SpamComplaint')) {
    return [{ kind: 'complaint', reference, feedback_id: plainText(event.ID), at }];
  }
  if (RecordType !== 'Bounce' || notFailures.has(plainText(type))) return [];
  const status = bounces.get(plainText(type)) ?? 'temporary-failure';
  const reason = [type, event.Details || event.Description].map(plainText).filter(Boolean).join(': ');
  return [{ kind: 'receipt', reference, status, reason, at }];
}

/** Replies to a message that arrived, from the recipient or from their mail server. */
const notFailures = new Set(['AutoResponder', 'AddressChange', 'Subscribe', 'Unsubscribe', 'ChallengeVerification']);

/** Any other bounce is temporary: full mailbox, DNS error, blocked by the mailbox provider, classified as spam. */
const bounces = new Map<string, ReceiptStatus>([
  ['HardBounce', 'permanent-failure'],
  ['BadEmailAddress', 'permanent-failure'],
  ['ManuallyDeactivated', 'permanent-failure'],
  ['SMTPApiError', 'technical-failure'],
  ['DMARCPolicy', 'technical-failure'],
]);
