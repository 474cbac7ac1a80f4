import { Type } from 'typebox';
import { forbidden, invalid } from '../../../platform/failure.ts';
import { MalformedJson } from '../../../platform/http/body/body.ts';
import type { Http } from '../../../platform/http/surface.ts';
import type { ReceiptDeps } from '../descriptor.ts';
import { type SnsEnvelope, SnsVerifier } from './sns.ts';

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
  { additionalProperties: true, description: 'An Amazon SNS envelope around a notification' },
);
const Success = Type.Object({ result: Type.Literal('success'), message: Type.String() });

interface SnsWebhook<Event> {
  path: string;
  /** The name in the messages of responses. */
  name: string;
  summary: string;
  region: string;
  topics: string[];
  verifySignatures: boolean;
  record(event: Event): Promise<void>;
}

/** Declares a webhook for an HTTPS subscription to an SNS topic, and confirms the subscription. */
export function snsWebhook<Event extends object>(
  http: Http,
  app: Pick<ReceiptDeps, 'log' | 'clock'>,
  { path, name, summary, region, topics, verifySignatures, record }: SnsWebhook<Event>,
): void {
  const verifier = new SnsVerifier({ log: app.log, topics, region });
  const notJson = `${name} callback failed: invalid json`;

  http.post(
    path,
    {
      schema: { summary, body: Envelope, response: { 200: Success } },
      errorHandler(error) {
        throw error instanceof MalformedJson ? invalid(notJson) : error;
      },
    },
    async ({ body: envelope }) => {
      if (verifySignatures && !(await verifier.isGenuine(envelope, app.clock.now()))) {
        throw forbidden(`${name} callback failed: invalid signature`);
      }
      if (envelope.Type === 'SubscriptionConfirmation') await verifier.confirmSubscription(envelope);
      else if (envelope.Type !== 'UnsubscribeConfirmation') {
        const event = eventIn(envelope);
        if (!event) throw invalid(notJson);
        await record(event as Event);
      }
      return { result: 'success' as const, message: `${name} callback succeeded` };
    },
  );
}

/** The notification is a JSON string in the envelope; with raw delivery it is the body itself. */
function eventIn(envelope: SnsEnvelope): object | undefined {
  const { Message: message = 'mail' in envelope ? envelope : undefined } = envelope;
  if (typeof message === 'object' && message !== null) return message;
  try {
    const event: unknown = JSON.parse(String(message));
    return typeof event === 'object' && event !== null ? event : undefined;
  } catch {
    return undefined;
  }
}
