import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { AddressRefused, guardedLookup, isInside, isLoopback, literalAddress } from '../../platform/http/networks.ts';
import type { CallbackSettings } from '../../services/settings.ts';

const timeout_ms = 5_000;

interface CallbackRequest {
  /** The same for every attempt, so that receivers can deduplicate. */
  id: string;
  url: string;
  /** Empty if no token is configured. */
  bearer_token: string;
  /** Set if the service has a separate signing secret. */
  signing_key?: Buffer;
  body: string;
  /** The trace context of the message, if it is traced. */
  traceparent?: string | undefined;
}

export type CallbackResult =
  | { kind: 'responded'; status_code: number; retry_after_s: number | undefined }
  | { kind: 'refused'; error: string }
  | { kind: 'failed'; error: string };

/** Posts to user-supplied URLs: no private addresses, no redirects, a short timeout. */
export class CallbackCaller {
  private readonly allowed: CallbackSettings;
  /** https may connect to public addresses (and to private ones if allowed), http only to private ones. */
  private readonly encrypted: Agent;
  private readonly plain: Agent;

  constructor(config: { callbacks: CallbackSettings }) {
    this.allowed = config.callbacks;
    this.encrypted = agent((address) => this.mayCall('https:', address));
    this.plain = agent((address) => this.mayCall('http:', address));
  }

  async post(callback: CallbackRequest, now: Date): Promise<CallbackResult> {
    const url = new URL(callback.url);
    const literal = literalAddress(url.hostname);
    const refused = literal ? !this.mayCall(url.protocol, literal) : !this.mayUse(url.protocol);
    if (refused) return { kind: 'refused', error: 'address not allowed' };
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: url.protocol === 'https:' ? this.encrypted : this.plain,
        headers: {
          'content-type': 'application/json',
          ...(callback.bearer_token ? { authorization: `Bearer ${callback.bearer_token}` } : {}),
          'user-agent': 'Pennypost',
          ...signatureHeaders(callback, now),
          ...(callback.traceparent ? { traceparent: callback.traceparent } : {}),
        },
        body: callback.body,
        signal: AbortSignal.timeout(timeout_ms),
      });
      // A receiver that never ends its response must not keep the connection open.
      await response.body.dump({ limit: 65_536 }).catch(() => undefined);
      const after = Number(response.headers['retry-after']);
      return {
        kind: 'responded',
        status_code: response.statusCode,
        retry_after_s: Number.isFinite(after) ? after : undefined,
      };
    } catch (error) {
      if (error instanceof AddressRefused) return { kind: 'refused', error: 'address not allowed' };
      return { kind: 'failed', error: describe(error) };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.encrypted.destroy(), this.plain.destroy()]);
  }

  private mayUse(protocol: string): boolean {
    const { allowPrivate, allowLoopback } = this.allowed;
    return protocol === 'https:' || (protocol === 'http:' && (allowPrivate || allowLoopback));
  }

  private mayCall(protocol: string, address: string): boolean {
    if (!this.mayUse(protocol)) return false;
    const { allowPrivate, allowLoopback } = this.allowed;
    const mayCallInside = allowPrivate || (allowLoopback && isLoopback(address));
    return isInside(address) ? mayCallInside : protocol === 'https:';
  }
}

function agent(isAllowed: (address: string) => boolean): Agent {
  return new Agent({
    connect: { lookup: guardedLookup(isAllowed), timeout: timeout_ms },
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
    keepAliveTimeout: 10_000,
  });
}

/**
 * Signs as Standard Webhooks does, which allows several signatures. The key is the bearer token by default. Because every request contains
 * that token, a service can configure a separate key that is never sent.
 */
export function signatureHeaders(
  { id, bearer_token, signing_key, body }: CallbackRequest,
  now: Date,
): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  const sign = (key: string | Buffer) =>
    `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  const keys = [signing_key, bearer_token].filter((key) => key !== undefined && key.length > 0);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...(keys.length > 0 ? { 'webhook-signature': keys.map((key) => sign(key ?? '')).join(' ') } : {}),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return `no answer within ${timeout_ms / 1_000} s`;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : error.name;
}
