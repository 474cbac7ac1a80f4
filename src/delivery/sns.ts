import { createVerify, X509Certificate } from 'node:crypto';
import { request } from 'undici';
import type { Log } from '../platform/log.ts';

/** The envelope in which Amazon SNS delivers a message over HTTP. */
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

/** Only Amazon's own hosts, over https: an envelope names the address of the certificate that is to prove it. */
const amazonHost = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;

export function isAmazonAddress(text: string | undefined, path: RegExp): boolean {
  if (!text || !URL.canParse(text)) return false;
  const url = new URL(text);
  const plainly = url.port === '' && url.username === '' && url.password === '';
  return url.protocol === 'https:' && plainly && amazonHost.test(url.hostname) && path.test(url.pathname);
}

const certificatePath = /^\/SimpleNotificationService-[a-zA-Z0-9]+\.pem$/;

const signedFields: Record<string, (keyof SnsEnvelope)[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

/** Version 1 signs with SHA-1, version 2 with SHA-256. */
const digests: Record<string, string> = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' };

export function textToSign(envelope: SnsEnvelope): string | undefined {
  const names = signedFields[envelope.Type ?? ''];
  return names
    ?.filter((name) => envelope[name] !== undefined)
    .map((name) => `${name}\n${envelope[name]}\n`)
    .join('');
}

/** Checks envelopes against Amazon's certificates, each fetched once, and against the topics that we listen to. */
export class SnsVerifier {
  private readonly certificates = new Map<string, Promise<X509Certificate>>();
  private readonly log: Log;
  private readonly topics: string[];

  /** Without topics all are listened to: a signature only says that somebody's topic sent it. */
  constructor(log: Log, topics: string[]) {
    this.log = log;
    this.topics = topics;
  }

  async isGenuine(envelope: SnsEnvelope, now: Date): Promise<boolean> {
    const { SigningCertURL: address, Signature: signature, SignatureVersion: version } = envelope;
    const text = textToSign(envelope);
    const digest = digests[version ?? ''];
    if (!address || !signature || !text || !digest || !isAmazonAddress(address, certificatePath)) return false;
    if (this.topics.length > 0 && !this.topics.includes(envelope.TopicArn ?? '')) return false;
    try {
      const certificate = await this.certificate(address);
      if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return false;
      return createVerify(digest).update(text).verify(certificate.publicKey, signature, 'base64');
    } catch (error) {
      this.log.warn({ err: error }, 'the certificate of an SNS message could not be read');
      return false;
    }
  }

  private certificate(address: string): Promise<X509Certificate> {
    const known = this.certificates.get(address);
    if (known) return known;
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
  if (statusCode !== 200) throw new Error(`Amazon answered ${statusCode}`);
  return text;
}

/** Visits the address that confirms a subscription, if it is Amazon's. */
export async function confirmSubscription(envelope: SnsEnvelope, log: Log): Promise<void> {
  const { SubscribeURL: address, TopicArn: topic } = envelope;
  if (!address || !isAmazonAddress(address, /^\/$/))
    return log.warn({ topic }, 'an SNS subscription names a foreign address');
  try {
    await fetchFromAmazon(address);
    log.info({ topic }, 'an SNS subscription was confirmed');
  } catch (error) {
    log.warn({ err: error, topic }, 'an SNS subscription could not be confirmed');
  }
}
