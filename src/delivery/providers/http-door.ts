import { Agent, request } from 'undici';
import type { Outcome } from '../provider.ts';

export interface Answer {
  status: number;
  body: string;
  /** Parsed where it is JSON. */
  json: Record<string, unknown>;
  retry_after_ms: number | undefined;
}

const timeout_ms = 10_000;
const largestAnswer = 65_536;

/**
 * A provider's HTTP door. A call that could not be connected never reached it; one that broke after that may have, and
 * says so, because sending it again blindly would be a second message.
 */
export class HttpDoor {
  private readonly agent = new Agent({
    connect: { timeout: timeout_ms },
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
    keepAliveTimeout: 30_000,
    connections: 100,
  });

  async post(
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<{ answer: Answer } | { failed: Outcome & { kind: 'retry' } }> {
    try {
      return { answer: await this.call('POST', url, headers, body) };
    } catch (error) {
      const code = codeOf(error);
      return { failed: { kind: 'retry', reason: code, perhaps_sent: !neverReached.has(code) } };
    }
  }

  /** Any answer shows that somebody is there; throws when nobody is. */
  async knock(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    try {
      return await this.call('GET', url, headers);
    } catch (error) {
      throw new Error(`${new URL(url).host} cannot be reached (${codeOf(error)}): let this machine connect to it`);
    }
  }

  private async call(
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Answer> {
    const response = await request(url, {
      method,
      dispatcher: this.agent,
      headers: { 'user-agent': 'Pennypost', ...headers },
      body,
      signal: AbortSignal.timeout(timeout_ms),
    });
    const text = (await response.body.text()).slice(0, largestAnswer);
    const after = Number(response.headers['retry-after']);
    return {
      status: response.statusCode,
      body: text,
      json: parsed(text),
      retry_after_ms: Number.isFinite(after) ? after * 1_000 : undefined,
    };
  }

  async close(): Promise<void> {
    await this.agent.close();
  }
}

const neverReached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : error.name;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** For answers that say nothing about the single message: too many, not now, not you. */
export function retryOf(answer: Answer): Outcome {
  return { kind: 'retry', reason: `answered ${answer.status}`, after_ms: answer.retry_after_ms };
}
