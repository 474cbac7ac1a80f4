import { Type } from 'typebox';
import type { Config } from '../../config.ts';
import { forbidden, invalid } from '../../platform/failure.ts';
import { MalformedJson } from '../../platform/http/body/body.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SesEvent } from '../providers/ses.ts';
import { recordSesEvent } from './email-receipts.ts';
import { receiptRecorder } from './receipt-recorder.ts';
import { type SnsEnvelope, SnsVerifier } from './sns.ts';

type Deps = Platform & {
  config: Pick<Config, 'EMAIL_PROVIDERS' | 'SES_VERIFY_SIGNATURES' | 'SES_TOPIC_ARNS' | 'SES_REGION'>;
};

const text = Type.Optional(Type.String());
const Envelope = Type.Object(
  {
    Type: text,
    MessageId: text,
    Message: Type.Optional(Type.Unknown({ description: 'The notification, as JSON in a string' })),
    Subject: text,
    Timestamp: text,
    TopicArn: text,
    Token: text,
    SubscribeURL: text,
    SignatureVersion: text,
    Signature: text,
    SigningCertURL: text,
  },
  { additionalProperties: true, description: 'An Amazon SNS envelope around an SES notification' },
);
const Success = Type.Object({ result: Type.Literal('success'), message: Type.String() });
const notJson = 'SES callback failed: invalid json';

/** Receipts, bounces and complaints of Amazon SES through SNS, if SES or the sandbox is active. */
export function emailReceiptRoutes(http: Http, app: Deps): void {
  const { EMAIL_PROVIDERS: inUse } = app.config;
  if (!inUse.includes('ses') && !inUse.includes('sandbox')) return;
  const receipts = receiptRecorder(app);
  const verifier = new SnsVerifier({
    log: app.log,
    topics: app.config.SES_TOPIC_ARNS,
    region: app.config.SES_REGION,
  });

  http.post(
    '/notifications/email/ses',
    {
      schema: { summary: 'Receipt, bounce or complaint from Amazon SES', body: Envelope, response: { 200: Success } },
      errorHandler(error) {
        throw error instanceof MalformedJson ? invalid(notJson) : error;
      },
    },
    async ({ body: envelope }) => {
      if (app.config.SES_VERIFY_SIGNATURES && !(await verifier.isGenuine(envelope, app.clock.now()))) {
        throw forbidden('SES callback failed: invalid signature');
      }
      if (envelope.Type === 'SubscriptionConfirmation') await verifier.confirmSubscription(envelope);
      else if (envelope.Type !== 'UnsubscribeConfirmation') await recordSesEvent(app, receipts, eventIn(envelope));
      return { result: 'success' as const, message: 'SES callback succeeded' };
    },
  );
}

/** The notification is a JSON string in the envelope; with raw delivery it is the body itself. */
function eventIn(envelope: SnsEnvelope): SesEvent {
  const { Message: message = 'mail' in envelope ? envelope : undefined } = envelope;
  if (typeof message === 'object' && message !== null) return message;
  try {
    const event: unknown = JSON.parse(String(message));
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    // Handled below.
  }
  throw invalid(notJson);
}
