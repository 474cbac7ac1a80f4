import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

interface ExportedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number; message?: string };
}

export interface CollectedSpan extends Omit<ExportedSpan, 'attributes'> {
  /** The process that sent it. */
  process: string;
  facts: Record<string, unknown>;
}

export interface TraceCollector {
  endpoint: string;
  spans: CollectedSpan[];
  /** The text of every request, to search it for what must not be there. */
  requests: string[];
  /** `hang`: accepts requests and never responds. */
  mode: 'take' | 'refuse' | 'hang';
  stop(): void;
}

/** A collector for OTLP/HTTP with JSON, as far as the specification requires it. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    collector.requests.push(text);
    if (collector.mode === 'hang') return;
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end();
    if (collector.mode === 'refuse') return void response.writeHead(400).end();
    collector.spans.push(...read(text));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: TraceCollector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    mode: 'take',
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}

interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ExportedSpan[] }[] }[];
}

function read(text: string): CollectedSpan[] {
  return (JSON.parse(text) as Export).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = String(factsOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, ...span }) => ({ ...span, process, facts: factsOf(attributes) })),
    );
  });
}

function factsOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
