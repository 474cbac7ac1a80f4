import type { IncomingHttpHeaders } from 'node:http';
import { type FrontAnswer, type FrontRequest, startHttpFront } from './http-front.ts';

/** A request to a gateway. */
export interface StubRequest {
  gateway: 'mmg' | 'firetext' | 'twilio' | 'ses';
  /** Our id. */
  reference: string;
  headers: IncomingHttpHeaders;
  fields: Record<string, unknown>;
}

/** `accept` as the real gateway would, or a failure. */
export type StubAnswer =
  | 'accept'
  | 'hang up'
  | 'never answer'
  | { status: number; body?: unknown; headers?: Record<string, string> };

export interface StubGateways {
  url: string;
  requests: StubRequest[];
  /** The response to every request from now on. */
  answer: (request: StubRequest) => StubAnswer;
  /** The response to a health check, or undefined for no response. */
  answerCheck: FrontAnswer | undefined;
  /** Milliseconds before the response. */
  delay_ms: number;
  sentTo(reference: string): StubRequest[];
  close(): Promise<void>;
}

/** The sending APIs of MMG, Firetext, Twilio and SES on one local port. */
export async function startStubGateways(port = 0): Promise<StubGateways> {
  const requests: StubRequest[] = [];
  const front = await startHttpFront(async (incoming) => {
    if (incoming.body === '') return stub.answerCheck;
    const request = readRequest(incoming);
    if (!request) return { status: 404 };
    requests.push(request);
    const answer = stub.answer(request);
    if (stub.delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, stub.delay_ms));
    return respond(request, answer);
  }, port);
  const stub: StubGateways = {
    ...front,
    requests,
    answer: () => 'accept',
    answerCheck: { status: 405 },
    delay_ms: 0,
    sentTo: (reference) => requests.filter((request) => request.reference === reference),
  };
  return stub;
}

/** The receipt URL given to the gateway, without the host. */
export function receiptPathOf(request: StubRequest | undefined): string {
  const { delurl, receipt, StatusCallback } = request?.fields ?? {};
  const { pathname, search } = new URL(String(delurl ?? receipt ?? StatusCallback));
  return pathname + search;
}

function readRequest({ url, headers, body }: FrontRequest): StubRequest | undefined {
  if (url === '/mmg') {
    const fields = JSON.parse(body) as Record<string, unknown>;
    return { gateway: 'mmg', reference: String(fields.cid), headers, fields };
  }
  if (url === '/firetext') {
    const fields = Object.fromEntries(new URLSearchParams(body));
    return { gateway: 'firetext', reference: fields.reference ?? '', headers, fields };
  }
  if (/^\/2010-04-01\/Accounts\/\w+\/Messages\.json$/.test(url)) {
    const fields = Object.fromEntries(new URLSearchParams(body));
    const reference = new URL(fields.StatusCallback ?? '').searchParams.get('reference') ?? '';
    return { gateway: 'twilio', reference, headers, fields };
  }
  if (url === '/v2/email/outbound-emails') {
    const fields = JSON.parse(body) as Record<string, unknown>;
    const [tag] = fields.EmailTags as { Value: string }[];
    return { gateway: 'ses', reference: tag?.Value ?? '', headers, fields };
  }
  return undefined;
}

const accepted: Record<StubRequest['gateway'], (reference: string) => { status: number; body: unknown }> = {
  mmg: () => ({ status: 200, body: { Reference: '12345' } }),
  firetext: () => ({ status: 200, body: { code: 0, description: 'SMS successfully queued', responseData: '' } }),
  twilio: (reference) => ({ status: 201, body: { sid: `SM${reference.replaceAll('-', '')}`, status: 'queued' } }),
  ses: (reference) => ({ status: 200, body: { MessageId: `ses-${reference}` } }),
};

function respond({ gateway, reference }: StubRequest, answer: StubAnswer): FrontAnswer | undefined {
  if (answer === 'never answer') return undefined;
  if (answer === 'hang up') return answer;
  const { status, body, ...more } = answer === 'accept' ? accepted[gateway](reference) : answer;
  const headers = 'headers' in more ? more.headers : {};
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body ?? {}) };
}

export interface CallbackSink {
  url: string;
  calls: { headers: IncomingHttpHeaders; body: string; path: string; at: number }[];
  /** Returns the status of the response, or undefined for no response. */
  answer: (path: string) => number | undefined;
  /** Milliseconds before the response. */
  delay_ms: number;
  close(): Promise<void>;
}

/** The receiver of a service's callbacks. */
export async function startCallbackSink(): Promise<CallbackSink> {
  const calls: CallbackSink['calls'] = [];
  const front = await startHttpFront(async ({ url: path, headers, body }) => {
    calls.push({ headers, body, path, at: Date.now() });
    const status = sink.answer(path);
    if (sink.delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, sink.delay_ms));
    if (status === undefined) return undefined;
    const isRedirect = status >= 300 && status < 400;
    return { status, ...(isRedirect && { headers: { location: `${sink.url}/elsewhere` } }) };
  });
  const sink: CallbackSink = { ...front, calls, answer: () => 204, delay_ms: 0 };
  return sink;
}
