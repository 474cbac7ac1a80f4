import type { FastifyInstance } from 'fastify';
import { drawRandomBytes } from '../secrets/random-bytes.ts';

export const everyResponse = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'strict-transport-security': 'max-age=31536000',
  'cache-control': 'no-store, no-cache, private, must-revalidate',
};

/** Any origin may call the API: callers authenticate with a token, which browsers never add by themselves. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Content-Type,Authorization',
  'access-control-allow-methods': 'GET,PUT,POST,DELETE',
};

/** Security and tracing headers on everything, errors included. */
export function addHeaders(http: FastifyInstance, app: { draining(): boolean }): void {
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(everyResponse);
    // Clients with persistent connections move to another process with the next request.
    if (app.draining()) reply.header('connection', 'close');
    reply.header('x-b3-traceid', request.id);
    reply.header('x-b3-spanid', singleHeader(request.headers['x-b3-spanid']) ?? request.id.slice(-16));
    // An invalid content type does not reject a body: JSON is parsed regardless of it.
    if (!isMediaType(request.headers['content-type'])) delete request.headers['content-type'];
    done();
  });
}

function isMediaType(value: string | undefined): boolean {
  return value === undefined || value === 'application/json' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value);
}

/** The caller's trace id, so that a message can be traced through both systems, or a new one. */
export function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  return singleHeader(request.headers['x-b3-traceid']) ?? drawRandomBytes(16).toString('hex');
}

/** Accepts only valid trace ids: anything else could inject text into logs and headers. */
function singleHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[0-9a-fA-F-]{8,64}$/.test(value) ? value : undefined;
}
