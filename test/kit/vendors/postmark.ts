import { addressParser, decodeWords } from 'postal-mime';
import { ensure, expectedMail, hasKeys, isPage, json, type Vendor } from './vendor.ts';

const token = 'postmark-server-token';
const path = '/notifications/email/postmark';
const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
const problem = (ErrorCode: number, Message = '') => json(422, { ErrorCode, Message });
const badToken = json(401, { ErrorCode: 10, Message: 'No Account or Server API tokens were supplied' });

/** https://postmarkapp.com/developer/api/email-api and /developer/webhooks */
export const postmark: Vendor = {
  name: 'postmark',
  channel: 'email',
  settings: (url) => ({ postmark: { url, serverToken: token, webhookAuth: 'hooks:secret' } }),
  read({ method, url, headers, body }) {
    ensure(method === 'POST' && url === '/email', json(404, {}));
    ensure(headers['x-postmark-server-token'] === token, badToken);
    ensure(headers['content-type'] === 'application/json' && headers.accept === 'application/json', problem(409));
    const mail = JSON.parse(body);
    const required = ['From', 'To', 'Subject', 'TextBody', 'HtmlBody', 'Headers', 'Metadata', 'MessageStream'];
    ensure(
      hasKeys(mail, required, ['ReplyTo', 'TrackOpens', 'TrackLinks', 'Attachments']),
      problem(403, 'Unknown field'),
    );
    ensure(mail.MessageStream === 'outbound', problem(1235));
    ensure(mail.TrackOpens === false && mail.TrackLinks === 'None', problem(300, 'Tracking'));
    ensure(hasKeys(mail.Metadata, ['notification_id']), problem(300, 'Metadata'));
    const [from] = addressParser(mail.From);
    const named = Object.fromEntries(mail.Headers.map(({ Name, Value }: Record<string, string>) => [Name, Value]));
    const { 'X-PM-KeepID': keepsId, ...rest } = named;
    ensure(keepsId === 'true', problem(300, 'Message-ID'));
    return {
      reference: mail.Metadata.notification_id,
      from: { name: decodeWords(from?.name ?? ''), address: from?.address },
      to: mail.To,
      reply_to: mail.ReplyTo,
      subject: mail.Subject,
      text: mail.TextBody,
      isPage: isPage(mail.HtmlBody),
      headers: rest,
      attachments: mail.Attachments?.map(({ Name, ContentType, Content, ...others }: Record<string, string>) => {
        ensure(Object.keys(others).length === 0, problem(403, 'Unknown field'));
        return [Name, ContentType, Content];
      }),
    };
  },
  expected: expectedMail,
  accepted(reference) {
    const MessageID = reference.replace(/^..../, 'b7bc');
    const answer = json(200, { To: 'x', SubmittedAt: '2026-11-15T12:00:00Z', MessageID, ErrorCode: 0, Message: 'OK' });
    return { answer, provider_reference: MessageID };
  },
  checked({ method, url, headers }) {
    if (method !== 'GET' || url !== '/server') return undefined;
    return headers['x-postmark-server-token'] === token ? json(200, { ID: 1 }) : badToken;
  },
  wrong: [[{ serverToken: 'other' }, 'it responded with 401: correct POSTMARK_SERVER_TOKEN']],
  refusals: [
    [problem(406, 'Found inactive addresses: ada@example.org.'), 'permanent-failure', 'error 406: inactive recipient'],
    [problem(300, "Invalid 'To' address: 'ada@example.org'."), 'technical-failure', 'error 300: recipient'],
  ],
  misconfigured: [
    [badToken, 'answered 401: correct POSTMARK_SERVER_TOKEN'],
    [problem(400), 'answered 422: add EMAIL_DOMAIN as a sender signature or domain at Postmark'],
    [problem(1235), 'answered 422: correct POSTMARK_MESSAGE_STREAM'],
    [problem(300, "Invalid 'From' address."), 'answered 422: error 300'],
  ],
  throttled: () => [[json(429, { ErrorCode: 429, Message: 'Rate limit exceeded' }, { 'retry-after': '7' }), 7]],
  nonsense: [{ status: 200, body: 'OK' }, json(200, {}), json(200, [])],
  events: [
    ['a delivery', (id) => delivery(id), 'delivered'],
    ['a hard bounce', (id) => bounce(id, 'HardBounce', 1), 'permanent-failure'],
    ['an invalid address', (id) => bounce(id, 'BadEmailAddress', 100_000), 'permanent-failure'],
    ['an address that was deactivated', (id) => bounce(id, 'ManuallyDeactivated', 100_006), 'permanent-failure'],
    ['a soft bounce', (id) => bounce(id, 'SoftBounce', 4096), 'temporary-failure'],
    ['a delay', (id) => bounce(id, 'Transient', 2), 'temporary-failure'],
    ['a block', (id) => bounce(id, 'Blocked', 100_008), 'temporary-failure'],
    ['a bounce of a new type', (id) => bounce(id, 'Weather', 7), 'temporary-failure'],
    ['a policy of the domain', (id) => bounce(id, 'DMARCPolicy', 100_009), 'technical-failure'],
    ['an automatic reply', (id) => bounce(id, 'AutoResponder', 64), 'sending'],
    ['a complaint', (id) => complaint(id), 'sending'],
    ['an open', (id) => ({ RecordType: 'Open', Metadata: { notification_id: id } }), 'sending'],
    ['an id in another case', (id) => delivery(id.toUpperCase()), 'delivered'],
  ],
  complaint,
  webhook: (event) => ({ method: 'POST', url: path, headers: basic('hooks:secret'), payload: JSON.stringify(event) }),
  forgeries(event) {
    const payload = JSON.stringify(event);
    return [
      ['no credentials', { method: 'POST', url: path, payload }, 401],
      ['wrong credentials', { method: 'POST', url: path, headers: basic('hooks:guess'), payload }, 403],
      ['no body and wrong credentials', { method: 'POST', url: path, headers: basic('x') }, 403],
    ];
  },
  oddities: [
    {},
    { RecordType: 'Delivery' },
    { RecordType: 'Delivery', Metadata: 'x' },
    { RecordType: 'Delivery', Metadata: { notification_id: 5 } },
    { RecordType: ['Bounce'], Type: { a: 1 }, Metadata: null },
    { RecordType: 'SpamComplaint', Metadata: { notification_id: 'a\u0000b' }, BouncedAt: 'never' },
  ],
};

function delivery(id: string) {
  return {
    RecordType: 'Delivery',
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    Recipient: 'ada@example.org',
    DeliveredAt: '2026-11-15T12:00:01Z',
    Details: 'Test delivery webhook details',
    Tag: '',
    ServerID: 23,
    Metadata: { notification_id: id },
    MessageStream: 'outbound',
  };
}

function bounce(id: string, Type: string, TypeCode: number) {
  return {
    RecordType: 'Bounce',
    ...{ ID: 4_323_372_036_854_775, Type, TypeCode, Name: Type, Description: 'x', Details: 'smtp;550 5.1.1' },
    ...{ Email: 'ada@example.org', From: 'x@notifications.example', BouncedAt: '2026-11-15T12:00:01Z' },
    ...{
      DumpAvailable: true,
      Inactive: true,
      CanActivate: true,
      Subject: 'x',
      ServerID: 23,
      MessageStream: 'outbound',
    },
    ...{ Content: 'x'.repeat(300_000), Metadata: { notification_id: id } },
  };
}

function complaint(id: string) {
  return { ...bounce(id, 'SpamComplaint', 512), RecordType: 'SpamComplaint', ID: 42, Content: undefined };
}
