import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Clock, hour_ms, later, minute_ms } from '../../../platform/clock.ts';
import { forbidden } from '../../../platform/failure.ts';
import type { Http } from '../../../platform/http/surface.ts';
import { newId } from '../../../platform/id.ts';
import { isSignedWith, readJwt, signedJwt } from '../../../platform/secrets/jwt.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';
import * as setting from '../../../platform/setting.ts';
import type { InboundDeps, ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { type HttpResponse, ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Outcome, Provider, TextMessage } from '../provider.ts';
import type { ReceiptStatus } from '../reports.ts';
import { Anything, InboundOk, isRecent, PhoneNumber, plainText, receiptResponses, utcTime } from '../webhooks.ts';

const settings = {
  url: setting.url('VONAGE_URL', 'Base URL of the Vonage Messages API.', { fallback: 'https://api.nexmo.com' }),
  applicationId: setting.optionalText('VONAGE_APPLICATION_ID', 'Id of the Vonage application that sends.'),
  privateKey: setting.optionalText('VONAGE_PRIVATE_KEY', 'Private key of the Vonage application, in PEM.', {
    secret: true,
  }),
  signatureSecret: setting.optionalText(
    'VONAGE_SIGNATURE_SECRET',
    'Signature secret of the Vonage account, which signs webhooks.',
    { secret: true },
  ),
};

/** The Messages API: unlike the older SMS API, it signs its webhooks with tokens that cover their body. */
export const vonage = {
  name: 'vonage' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c24',
    display_name: 'Vonage',
    priority: 50,
    supports_international: true,
  },
  settings,
  required: ['applicationId', 'privateKey', 'signatureSecret'],
  problems: ({ privateKey }) =>
    privateKey === undefined || keyOf(privateKey)
      ? []
      : ['VONAGE_PRIVATE_KEY must be the RSA private key of the Vonage application, in PEM'],
  guide: 'vonage',
  open,
  receipts,
  inbound,
} satisfies SmsDescriptor<typeof settings>;

function keyOf(pem = ''): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const address = `${app.settings.url}/v1/messages`;
  const tokens = new ApplicationTokens(app);
  const headers = () => ({ 'content-type': 'application/json', authorization: `Bearer ${tokens.current()}` });
  return {
    name: 'vonage',
    close: () => http.close(),
    async check() {
      // Vonage rejects a message without a recipient, but only after it has checked the token.
      const { status } = await http.ping(address, headers(), '{}');
      const advice = configurationAdvice.get(status);
      if (advice) throw new Error(`it responded with ${status}: ${advice}`);
    },
    async send({ reference, to, sender, text, encoding }) {
      const body = {
        channel: 'sms',
        message_type: 'text',
        to,
        from: sender,
        text,
        client_ref: reference,
        sms: { encoding_type: encoding === 'ucs2' ? 'unicode' : 'text' },
        webhook_url: `${app.config.urls.api}/notifications/sms/vonage`,
        webhook_version: 'v1',
      };
      const called = await http.request(address, headers(), JSON.stringify(body));
      return 'failed' in called ? called.failed : outcomeOf(called.response);
    },
  };
}

const tokenLife_ms = 15 * minute_ms;
const renewBefore_ms = 5 * minute_ms;

/** Signing takes a millisecond, so a token is reused for some minutes. */
class ApplicationTokens {
  private readonly clock: Clock;
  private readonly applicationId: string | undefined;
  private readonly key: KeyObject | undefined;
  private token = '';
  private expires = new Date(0);

  constructor({ clock, settings }: Pick<ProviderDeps<typeof vonage.settings>, 'clock' | 'settings'>) {
    this.clock = clock;
    this.applicationId = settings.applicationId;
    this.key = keyOf(settings.privateKey);
  }

  current(): string {
    const now = this.clock.now();
    const isNew = this.expires.getTime() - now.getTime() > renewBefore_ms && this.expires <= later(now, tokenLife_ms);
    if (!isNew) {
      if (!this.key) throw new Error('VONAGE_PRIVATE_KEY is not a private key');
      const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
      this.expires = later(now, tokenLife_ms);
      const claims = {
        application_id: this.applicationId,
        iat: seconds(now),
        exp: seconds(this.expires),
        jti: newId(now),
      };
      this.token = signedJwt(claims, this.key);
    }
    return this.token;
  }
}

const configurationAdvice = new Map([
  [401, 'correct VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY, and the clock'],
  [402, 'top up the balance of the Vonage account'],
  [403, 'let the Vonage application use the Messages API'],
]);

/** Error codes about the number: an unknown prefix, barred, invalid. */
const refusedCodes = new Set(['1040', '1050', '1170', '1430']);

function outcomeOf(response: HttpResponse): Outcome {
  const { status, json } = response;
  if (status === 202 && typeof json?.message_uuid === 'string') {
    return { kind: 'accepted', provider_reference: json.message_uuid };
  }
  const code = codeIn(json?.type);
  const fields = Array.isArray(json?.invalid_parameters) ? json.invalid_parameters : [];
  if (status === 422 && (refusedCodes.has(code) || fields.some((field) => field?.name === 'to'))) {
    return { kind: 'refused', reason: `error ${code}: recipient`, status: 'technical-failure' };
  }
  return retryOf(response, configurationAdvice.get(status) ?? (code === '' ? undefined : `error ${code}`));
}

/** Errors are documentation URLs that end with the code, such as `…/api-errors/messages#1170`. */
function codeIn(type: unknown): string {
  return /#(\w{1,40})$/.exec(plainText(type))?.[1] ?? '';
}

const Status = Type.Object(
  { client_ref: Anything, message_uuid: Anything, status: Anything, error: Anything, timestamp: Anything },
  { additionalProperties: true },
);

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/vonage',
    {
      schema: { summary: 'Message status from Vonage (signed)', body: Status, response: receiptResponses },
      config: { keepsRawBody: true },
      preValidation: async (request) => refuseUnlessSigned(request, app),
    },
    async ({ body }) => {
      const status = statusOf(plainText(body.status), body.error);
      const receipt = {
        provider: 'vonage',
        proven: true,
        notification_type: 'sms' as const,
        reason: reasonOf(plainText(body.status), body.error),
        at: utcTime(body.timestamp),
      };
      if (status)
        await app.recordReceipt({ ...receipt, reference: plainText(body.client_ref), statusFor: () => status });
      return { result: 'success' as const };
    },
  );
}

/** Vonage retries a request for 24 hours, and does not document whether it signs each retry again. */
const maxAge_ms = 25 * hour_ms;

/** The token is signed with the secret of the account and contains a digest of the body. */
function refuseUnlessSigned(
  { headers, rawBody = Buffer.alloc(0) }: FastifyRequest,
  { settings, clock }: { settings: { signatureSecret: string | undefined }; clock: Clock },
): void {
  const [, token = ''] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const jwt = readJwt(token);
  const isGenuine =
    jwt?.header.alg === 'HS256' &&
    settings.signatureSecret !== undefined &&
    isSignedWith(jwt, settings.signatureSecret) &&
    isRecent(Number(jwt.claims.iat) * 1_000, clock.now(), maxAge_ms) &&
    sameSecret(plainText(jwt.claims.payload_hash), createHash('sha256').update(rawBody).digest('hex'));
  if (!isGenuine) throw forbidden('Vonage callback failed: invalid signature');
}

/** Codes from https://developer.vonage.com/en/api-errors/messages. */
const temporaryCodes = new Set([
  ...['1000', '1030', '1100', '1331'], // throttled, or a failure at Vonage or at the carrier
  ...['1180', '1220', '1230', '1260'], // the phone is off or busy, the network failed, unreachable
  ...['1330', '1360'], // unknown, expired
]);
const permanentCodes = new Set([
  ...['1040', '1050', '1170', '1430'], // an unknown prefix, barred, invalid
  ...['1190', '1200', '1240', '1250'], // gone, ported, opted out, unroutable
  ...['1270', '1280', '1290'], // age restriction, blocked by the carrier, no credit
  ...['1300', '1310'], // not in the network, not a suitable device
]);

/** Reads the error of a receipt, whose `type` ends with the code. */
function readError(error: unknown): { code: string; detail: string } {
  const { type, title, detail } = (typeof error === 'object' && error !== null ? error : {}) as {
    [field in 'type' | 'title' | 'detail']?: unknown;
  };
  return { code: codeIn(type) || plainText(title), detail: plainText(detail) };
}

function reasonOf(status: string, error: unknown): string {
  const { code, detail } = readError(error);
  return [status, code && `error ${code}`, detail].filter(Boolean).join(', ');
}

/** Returns undefined if the status is not final. */
function statusOf(status: string, error: unknown): ReceiptStatus | undefined {
  if (status === 'delivered' || status === 'read') return 'delivered';
  if (status !== 'rejected' && status !== 'undeliverable') return undefined;
  const { code } = readError(error);
  if (temporaryCodes.has(code)) return 'temporary-failure';
  return status === 'undeliverable' || permanentCodes.has(code) ? 'permanent-failure' : 'technical-failure';
}

function inbound(http: Http, app: InboundDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/receive/vonage',
    {
      schema: {
        summary: 'Inbound text from Vonage (signed)',
        body: Type.Object(
          {
            from: PhoneNumber,
            to: PhoneNumber,
            text: Type.Optional(Type.String({ description: 'Other types of messages have no text and are ignored' })),
            message_uuid: Anything,
            timestamp: Anything,
          },
          { additionalProperties: true },
        ),
        response: { 200: InboundOk },
      },
      config: { keepsRawBody: true },
      preValidation: async (request) => refuseUnlessSigned(request, app),
    },
    async ({ body }) => {
      if (body.text !== undefined) {
        await app.receiveText({
          provider: 'vonage',
          from: plainText(body.from),
          to: plainText(body.to),
          content: body.text,
          received_at: utcTime(body.timestamp),
          reference: typeof body.message_uuid === 'string' ? body.message_uuid : undefined,
        });
      }
      return { status: 'ok' as const };
    },
  );
}
