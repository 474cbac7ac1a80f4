import { createVerify, X509Certificate } from 'node:crypto';
import { request } from 'undici';
import { hour_ms } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';

/** The envelope of an Amazon SNS message over HTTP. */
export interface SnsEnvelope {
  Type?: string;
  MessageId?: string;
  Message?: unknown;
  Subject?: string;
  Timestamp?: string;
  TopicArn?: string;
  Token?: string;
  SubscribeURL?: string;
  SignatureVersion?: string;
  Signature?: string;
  SigningCertURL?: string;
}

/** Only Amazon's own hosts, over https: the envelope contains the URL of the certificate that authenticates it. */
const amazonHost = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;

export function isAmazonAddress(text: string | undefined, path: RegExp): boolean {
  if (!text || !URL.canParse(text)) return false;
  const url = new URL(text);
  const plainly = url.port === '' && url.username === '' && url.password === '';
  return url.protocol === 'https:' && plainly && amazonHost.test(url.hostname) && path.test(url.pathname);
}

const certificatePath = /^\/SimpleNotificationService-[a-zA-Z0-9]+\.pem$/;

const signedFields = new Map<string | undefined, (keyof SnsEnvelope)[]>([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

/** Version 1 signs with SHA-1, version 2 with SHA-256. */
const digests = new Map<string | undefined, string>([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

export function textToSign(envelope: SnsEnvelope): string | undefined {
  const names = signedFields.get(envelope.Type);
  // Amazon signs strings; an object has no canonical form.
  if (typeof envelope.Message === 'object') return undefined;
  return names
    ?.filter((name) => envelope[name] !== undefined)
    .map((name) => `${name}\n${envelope[name]}\n`)
    .join('');
}

interface SnsOptions {
  log: Log;
  /** `*` or an empty list allows every topic of the region, which any AWS customer can create. */
  topics: string[];
  region: string;
}

/** Longer than Amazon retries, so an older message is rejected as a replay. */
const maxAge_ms = hour_ms;

/** Verifies envelopes against Amazon's certificates, which it caches, and against the configured topics. */
export class SnsVerifier {
  private readonly certificates = new Map<string, Promise<X509Certificate>>();
  private readonly log: Log;
  private readonly topics: string[];
  private readonly region: string;

  constructor({ log, topics, region }: SnsOptions) {
    this.log = log;
    this.topics = topics;
    this.region = region;
  }

  async isGenuine(envelope: SnsEnvelope, now: Date): Promise<boolean> {
    const { SigningCertURL: address, Signature: signature, SignatureVersion: version } = envelope;
    const text = textToSign(envelope);
    const digest = digests.get(version);
    if (!address || !signature || !text || !digest || !this.mayVisit(envelope, address, certificatePath)) return false;
    if (!(now.getTime() - Date.parse(envelope.Timestamp ?? '') <= maxAge_ms)) return false;
    try {
      const certificate = await this.certificate(address);
      if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return false;
      return createVerify(digest).update(text).verify(certificate.publicKey, signature, 'base64');
    } catch (error) {
      this.log.warn(
        { event: 'sns.certificate_failed', err: error },
        'The certificate of an SNS message could not be loaded',
      );
      return false;
    }
  }

  /** Requests the confirmation URL of a subscription, if it belongs to the topic. */
  async confirmSubscription(envelope: SnsEnvelope): Promise<void> {
    const { SubscribeURL: address, TopicArn: topic } = envelope;
    if (!address || !this.mayVisit(envelope, address, /^\/$/))
      return this.log.warn(
        { event: 'sns.subscription_rejected', topic },
        'An SNS subscription has an unexpected topic or URL',
      );
    try {
      await fetchFromAmazon(address);
      this.log.info({ event: 'sns.subscription_confirmed', topic }, 'An SNS subscription was confirmed');
    } catch (error) {
      this.log.warn(
        { event: 'sns.subscription_failed', err: error, topic },
        'An SNS subscription could not be confirmed',
      );
    }
  }

  /** Allows only hosts of the topic's region, and only configured topics, to prevent server-side request forgery (SSRF). */
  private mayVisit({ TopicArn: topic = '' }: SnsEnvelope, address: string, path: RegExp): boolean {
    const region = /^arn:aws[a-z-]*:sns:([a-z0-9-]+):/.exec(topic)?.[1];
    const any = this.topics.length === 0 || this.topics.includes('*');
    if (any ? region !== this.region : !this.topics.includes(topic)) return false;
    return isAmazonAddress(address, path) && new URL(address).hostname.startsWith(`sns.${region}.amazonaws.com`);
  }

  private certificate(address: string): Promise<X509Certificate> {
    const cached = this.certificates.get(address);
    if (cached) return cached;
    const loading = fetchFromAmazon(address).then((pem) => new X509Certificate(pem));
    if (this.certificates.size >= 100) this.certificates.clear();
    this.certificates.set(address, loading);
    loading.catch(() => this.certificates.delete(address));
    return loading;
  }
}

async function fetchFromAmazon(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(5_000) });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`Amazon responded with ${statusCode}`);
  return text;
}
