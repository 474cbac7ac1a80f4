import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a gateway was asked to send. */
export interface StubRequest {
  gateway: 'mmg' | 'firetext' | 'twilio' | 'ses';
  /** Our id. */
  reference: string;
  headers: IncomingMessage['headers'];
  fields: Record<string, unknown>;
}

/** `accept` as the gateway really would, or what else may happen. */
export type StubAnswer = 'accept' | 'hang up' | 'never answer' | { status: number; body?: unknown; headers?: object };

export interface StubGateways {
  url: string;
  requests: StubRequest[];
  /** How requests are answered from now on. */
  answer: (request: StubRequest) => StubAnswer;
  /** Milliseconds before an answer. */
  delay_ms: number;
  sentTo(reference: string): StubRequest[];
  close(): Promise<void>;
}

/** MMG, Firetext, Twilio and SES on one port of this machine, as far as sending goes. */
export async function startStubGateways(port = 0): Promise<StubGateways> {
  const stub: StubGateways = {
    url: '',
    requests: [],
    answer: () => 'accept',
    delay_ms: 0,
    sentTo: (reference) => stub.requests.filter((request) => request.reference === reference),
    close: () => close(server),
  };
  const server = createServer(async (incoming, response) => {
    const body = await read(incoming);
    const request = readRequest(incoming, body);
    if (!request) return void response.writeHead(404).end();
    stub.requests.push(request);
    const answer = stub.answer(request);
    if (stub.delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, stub.delay_ms));
    respond(response, request, answer);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stub;
}

/** Where the gateway was told to send its receipt, without the host. */
export function receiptPathOf(request: StubRequest | undefined): string {
  const { delurl, receipt, StatusCallback } = request?.fields ?? {};
  const { pathname, search } = new URL(String(delurl ?? receipt ?? StatusCallback));
  return pathname + search;
}

function readRequest(incoming: IncomingMessage, body: string): StubRequest | undefined {
  const { url = '', headers } = incoming;
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

function respond(response: ServerResponse, { gateway, reference }: StubRequest, answer: StubAnswer): void {
  if (answer === 'never answer') return;
  if (answer === 'hang up') return void response.destroy();
  const { status, body, ...more } = answer === 'accept' ? accepted[gateway](reference) : answer;
  const headers = 'headers' in more ? more.headers : {};
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body ?? {}));
}

export interface CallbackSink {
  url: string;
  calls: { headers: IncomingMessage['headers']; body: string; path: string; at: number }[];
  /** The status to answer with; undefined: no answer at all. */
  answer: (path: string) => number | undefined;
  close(): Promise<void>;
}

/** The receiver of a service's callbacks. */
export async function startCallbackSink(): Promise<CallbackSink> {
  const sink: CallbackSink = { url: '', calls: [], answer: () => 204, close: () => close(server) };
  const server = createServer(async (incoming, response) => {
    const body = await read(incoming);
    const path = incoming.url ?? '';
    sink.calls.push({ headers: incoming.headers, body, path, at: Date.now() });
    const status = sink.answer(path);
    if (status === undefined) return;
    response.writeHead(status, status >= 300 && status < 400 ? { location: `${sink.url}/elsewhere` } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sink.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return sink;
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
