import { isAscii } from 'node:buffer';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../failure.ts';
import { routeOf } from '../subroute.ts';
import { nestedTooDeeply, refuseTooManyValues, tooManyValues } from './body-limits.ts';
import type { BodyMemory } from './body-memory.ts';
import { IncomingBody } from './incoming-body.ts';
import { StreamedBody } from './streamed-body.ts';
import { parseWithNumbersAsWritten } from './verbatim-numbers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    incomingBody?: IncomingBody | StreamedBody;
    /** The raw bytes of the body, on routes with `keepsRawBody`. */
    rawBody?: Buffer;
  }
  interface FastifyContextConfig {
    /** The route's own failure for a body that is not JSON. */
    malformedJson?: () => Failure;
    /** Whether a missing body is rejected like malformed JSON. */
    bodyRequired?: boolean;
    /** The route takes a body but changes nothing, so caches stay valid. */
    readsOnly?: boolean;
    /**
     * The parser for each content type: `*` stands for any other type, an empty name for none. Requests with other types are rejected.
     * Without `bodyTypes`, a route parses any body as JSON or in the formats of its surface.
     */
    bodyTypes?: Record<string, 'json' | 'form' | 'stream'>;
    /** Keeps the raw bytes as `rawBody`, because a signature covers them. */
    keepsRawBody?: boolean;
    /** Numbers directly under this key are shown to people, so their digits are kept unchanged. */
    verbatimNumbersUnder?: string;
  }
}

type Parse = (body: Buffer, route: FastifyContextConfig) => unknown;

interface BodyLimits {
  memory: BodyMemory;
  /** Time limit for receiving a complete request. */
  timeout_ms: number;
}

/** Parses a body as JSON regardless of its content type; an empty body is no body. */
export function readBodies(
  http: FastifyInstance,
  { memory, timeout_ms }: BodyLimits,
  formats: Record<string, Parse> = {},
): void {
  http.addHook('onRoute', (route) => {
    if (route.config?.bodyTypes) route.onRequest = [refuseOtherTypes, ...[route.onRequest ?? []].flat()];
  });
  http.removeAllContentTypeParsers();
  // Register JSON by name as well: Fastify looks the `*` parser up again for each request.
  for (const [contentType, parse] of Object.entries({ 'application/json': parseJson, ...formats, '*': parseJson })) {
    http.addContentTypeParser(contentType, (request: FastifyRequest, _payload: unknown, done) => {
      const { bodyLimit: limit = 0, config } = routeOf(request);
      if (typeOf(request, config) === 'stream') {
        const body = new StreamedBody(request.raw, timeout_ms);
        request.incomingBody = body;
        return done(null, body);
      }
      request.incomingBody = new IncomingBody(request.raw, { memory, limit }, (error, body) => {
        if (!body) return done(error);
        if (config.keepsRawBody) request.rawBody = body;
        let value: unknown;
        try {
          value = parse(body, config);
        } catch (error) {
          return done(error as Error);
        }
        done(null, value);
      });
    });
  }
}

function typeOf({ headers }: FastifyRequest, { bodyTypes }: FastifyContextConfig) {
  if (!bodyTypes) return undefined;
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return bodyTypes[type.trim().toLowerCase()] ?? bodyTypes['*'];
}

function refuseOtherTypes(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  const { config } = request.routeOptions;
  const types = Object.keys(config.bodyTypes ?? {})
    .filter(Boolean)
    .join(', ');
  if (typeOf(request, config) !== undefined) done();
  else done(new Failure('unsupported-type', 'BadRequestError', `Content-Type must be one of ${types}`));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parseJson(
  body: Buffer,
  { verbatimNumbersUnder, maxBodyValues, malformedJson }: FastifyContextConfig,
): unknown {
  if (body.length === 0) return undefined;
  refuseTooManyValues(body, maxBodyValues);
  try {
    // The decoder also drops a byte order mark.
    const text = isAscii(body) ? body.toString('latin1') : decoder.decode(body);
    return verbatimNumbersUnder === undefined
      ? JSON.parse(text)
      : parseWithNumbersAsWritten(text, verbatimNumbersUnder);
  } catch (error) {
    throw malformedJson?.() ?? new MalformedJson(error);
  }
}

const maxFormFields = 1_000;

/** Parses a form, unless the body is clearly JSON: clients such as curl label everything as a form. */
export function parseForm(body: Buffer, route: FastifyContextConfig): unknown {
  const text = body.toString();
  if (/^\s*[{[]/.test(text)) return parseJson(body, route);
  const fields = text.split('&', maxFormFields + 1);
  if (fields.length > maxFormFields) throw tooManyValues();
  return Object.fromEntries(new URLSearchParams(text));
}

/** A `preValidation` hook that treats `[]`, `0`, `""` and `false` like `{}`. */
export function acceptEmptyBody(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { body } = request;
  if (!body || (Array.isArray(body) && body.length === 0)) request.body = {};
  done();
}

/** A separate class, because each surface has its own message for it. */
export class MalformedJson extends Failure {
  constructor(cause: unknown) {
    super('invalid', 'BadRequestError', 'Invalid JSON supplied in POST data', { cause });
  }
}

/** Maps errors of the framework to failures. */
export function failureOfFrameworkError(error: unknown): Failure | undefined {
  // Thousands of nested lists: recursing into such a value overflows the stack.
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return nestedTooDeeply();
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Failure('invalid', 'BadRequestError', (error as Error).message);
  }
  return undefined;
}
