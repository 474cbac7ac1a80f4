import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Config } from '../../config.ts';
import { AddressRefused, guardedLookup, isInside, literalAddress } from '../../platform/http/outside-addresses.ts';

const timeout_ms = 5_000;

interface CallbackRequest {
  /** The same on every attempt, so that a receiver can drop what it has already. */
  id: string;
  url: string;
  /** Empty: the receiver was given none. */
  bearer_token: string;
  /** Where the service asked for a secret of its own to check signatures with. */
  signing_key?: Buffer;
  body: string;
}

export type CallbackResult =
  | { kind: 'answered'; status_code: number; retry_after_s: number | undefined }
  | { kind: 'refused'; error: string }
  | { kind: 'failed'; error: string };

/** Posts to addresses that strangers chose: nothing inside our own network, no redirects, no waiting. */
export class CallbackCaller {
  private readonly allowInside: boolean;
  /** Encrypted connections go outside (and inside, where that is allowed); plain ones only ever inside. */
  private readonly encrypted: Agent;
  private readonly plain: Agent;

  constructor(config: Pick<Config, 'CALLBACK_ALLOW_PRIVATE'>) {
    this.allowInside = config.CALLBACK_ALLOW_PRIVATE;
    this.encrypted = agent((address) => this.mayCall('https:', address));
    this.plain = agent((address) => this.mayCall('http:', address));
  }

  async post(callback: CallbackRequest, now: Date): Promise<CallbackResult> {
    const url = new URL(callback.url);
    const literal = literalAddress(url.hostname);
    const refused = literal ? !this.mayCall(url.protocol, literal) : !this.mayUse(url.protocol);
    if (refused) return { kind: 'refused', error: 'address not allowed' };
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: url.protocol === 'https:' ? this.encrypted : this.plain,
        headers: {
          'content-type': 'application/json',
          ...(callback.bearer_token ? { authorization: `Bearer ${callback.bearer_token}` } : {}),
          'user-agent': 'Pennypost',
          ...signatureHeaders(callback, now),
        },
        body: callback.body,
        signal: AbortSignal.timeout(timeout_ms),
      });
      // A receiver that never ends its answer must not hold the connection.
      await answer.body.dump({ limit: 65_536 }).catch(() => undefined);
      const after = Number(answer.headers['retry-after']);
      return {
        kind: 'answered',
        status_code: answer.statusCode,
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
    return protocol === 'https:' || (protocol === 'http:' && this.allowInside);
  }

  private mayCall(protocol: string, address: string): boolean {
    if (!this.mayUse(protocol)) return false;
    return protocol === 'https:' ? this.allowInside || !isInside(address) : isInside(address);
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
 * Standard Webhooks, which allows several signatures. The bearer token is a key that the receiver has already; who sees one
 * request has it too, so a service can have a key apart from it, which never travels.
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
