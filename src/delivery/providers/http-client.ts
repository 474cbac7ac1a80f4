import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher, type FormData, request } from 'undici';
import { ContextValue } from '../../platform/process/context-value.ts';
import type { Outcome } from './provider.ts';

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body if it is a JSON object, otherwise undefined. */
  json: Record<string, unknown> | undefined;
  retry_after_ms: number | undefined;
}

type Method = 'GET' | 'POST' | 'PUT';

const listeners = new ContextValue<(response: HttpResponse) => void>();

/** Passes the response of every provider request that `work` makes to `onResponse`, to show it to a person. */
export function withResponseListener<T>(onResponse: (response: HttpResponse) => void, work: () => T): T {
  return listeners.run(onResponse, work);
}

const timeout_ms = 10_000;
const maxResponseBytes = 65_536;

/**
 * The HTTP client of a provider. If a call could not connect, the provider did not get it. If it failed later, the provider may have the
 * message: the result says so, because a blind retry could send it twice.
 */
export class ProviderHttpClient {
  private readonly agent: Agent;

  /**
   * A call that waits for a connection would use up its timeout. So there are as many connections as concurrent calls, and the timeout
   * starts when the request is written.
   */
  constructor(maxConnections: number) {
    this.agent = new Agent({
      connect: { timeout: timeout_ms },
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
      keepAliveTimeout: 30_000,
      connections: maxConnections,
    });
  }

  async request(
    url: string,
    headers: Record<string, string>,
    body?: string | FormData,
    method: Method = 'POST',
  ): Promise<{ response: HttpResponse } | { failed: Outcome & { kind: 'retry' } }> {
    try {
      return { response: await this.call(method, url, headers, body) };
    } catch (error) {
      const code = codeOf(error);
      return { failed: { kind: 'retry', reason: code, perhaps_sent: !connectErrors.has(code) } };
    }
  }

  /** Throws if the provider does not respond. Accepts any response. Sends a POST request if there is a body. */
  async ping(url: string, headers: Record<string, string> = {}, body?: string): Promise<HttpResponse> {
    try {
      return await this.call(body === undefined ? 'GET' : 'POST', url, headers, body);
    } catch (error) {
      throw new Error(`${new URL(url).host} cannot be reached (${codeOf(error)}): let this machine connect to it`);
    }
  }

  private async call(
    method: Method,
    url: string,
    headers: Record<string, string>,
    body?: string | FormData,
  ): Promise<HttpResponse> {
    const response = await request(url, {
      method,
      dispatcher: this.agent,
      headers: { 'user-agent': 'Pennypost', ...headers },
      body,
    });
    const text = await readBody(response.body);
    const after = Number(response.headers['retry-after']);
    const read = {
      status: response.statusCode,
      headers: response.headers,
      body: text,
      json: parsed(text),
      retry_after_ms: after >= 0 ? after * 1_000 : undefined,
    };
    listeners.current()?.(read);
    return read;
  }

  async close(): Promise<void> {
    await this.agent.close();
  }
}

/**
 * Makes a rare GET request. Returns undefined if the API does not respond or responds with an error. A JSON array becomes the field `list`.
 */
export async function fetchJson(
  url: string,
  headers: Record<string, string>,
): Promise<Record<string, unknown> | undefined> {
  const http = new ProviderHttpClient(1);
  try {
    const called = await http.request(url, headers, undefined, 'GET');
    if ('failed' in called || called.response.status >= 300) return undefined;
    const { body, json } = called.response;
    return json ?? (body.trim().startsWith('[') ? parsed(`{"list":${body}}`) : undefined);
  } finally {
    await http.close();
  }
}

/** Limits the time of a slow body and reads only the beginning of a long one. */
async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(new Error('the response body did not end in time')), timeout_ms);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxResponseBytes) break;
    }
    return Buffer.concat(chunks).toString().slice(0, maxResponseBytes);
  } finally {
    clearTimeout(timer);
  }
}

const connectErrors = new Set([
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

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Proxies send these when they lost the connection to the provider or timed out. */
const fromProxies = new Set([502, 504]);

/**
 * For responses that are not about the message: too many requests, unavailable, unauthorised. After a proxy's timeout, or a success
 * response that cannot be read, the provider may have the message. `advice` says what an operator must correct.
 */
export function retryOf({ status, retry_after_ms }: HttpResponse, advice?: string): Outcome {
  const perhaps_sent = status < 300 || fromProxies.has(status);
  const reason = advice === undefined ? `answered ${status}` : `answered ${status}: ${advice}`;
  return { kind: 'retry', reason, after_ms: retry_after_ms, perhaps_sent };
}
