import { isAscii } from 'node:buffer';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../failure.ts';
import { nestedTooDeeply, refuseTooManyValues, tooManyValues } from './body-limits.ts';
import type { BodyMemory } from './body-memory.ts';
import { IncomingBody } from './incoming-body.ts';
import { parseWithNumbersAsWritten } from './verbatim-numbers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    incomingBody?: IncomingBody;
  }
  interface FastifyContextConfig {
    /** How a route words a body that is not JSON, where it has words of its own. */
    malformedJson?: () => Failure;
    /** Sending nothing at all is then as wrong as sending something that is not JSON. */
    bodyRequired?: boolean;
    /** Takes a body, and changes nothing: what is remembered stays. */
    readsOnly?: boolean;
    /** Numbers directly under this key are text that people will read: none of its digits may change. */
    verbatimNumbersUnder?: string;
  }
}

type Parse = (body: Buffer, route: FastifyContextConfig) => unknown;

/** A JSON body is read whatever the content type says; an empty one is no body. */
export function readBodies(http: FastifyInstance, memory: BodyMemory, formats: Record<string, Parse> = {}): void {
  http.removeAllContentTypeParsers();
  // JSON by name as well: what only `*` takes is looked up anew for each request.
  for (const [contentType, parse] of Object.entries({ 'application/json': parseJson, ...formats, '*': parseJson })) {
    http.addContentTypeParser(contentType, (request: FastifyRequest, _payload: unknown, done) => {
      const { bodyLimit: limit = 0, config } = request.routeOptions;
      request.incomingBody = new IncomingBody(request.raw, { memory, limit }, (error, body) => {
        if (!body) return done(error);
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

/** A form, unless what came is plainly JSON: clients such as curl call everything a form. */
export function parseForm(body: Buffer, route: FastifyContextConfig): unknown {
  const text = body.toString();
  if (/^\s*[{[]/.test(text)) return parseJson(body, route);
  const fields = text.split('&', maxFormFields + 1);
  if (fields.length > maxFormFields) throw tooManyValues();
  return Object.fromEntries(new URLSearchParams(text));
}

/** A route's `preValidation`: `[]`, `0`, `""` and `false` say as much as `{}` does. */
export function takeNothingForEmpty(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { body } = request;
  if (!body || (Array.isArray(body) && body.length === 0)) request.body = {};
  done();
}

/** The surfaces word this differently, so it is a class of its own. */
export class MalformedJson extends Failure {
  constructor(cause: unknown) {
    super('invalid', 'BadRequestError', 'Invalid JSON supplied in POST data', { cause });
  }
}

/** What the framework itself refuses, in the vocabulary of the rules. */
export function failureOfFrameworkError(error: unknown): Failure | undefined {
  // Lists within lists by the thousand: whatever walks down such a value runs out of stack.
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return nestedTooDeeply();
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Failure('invalid', 'BadRequestError', (error as Error).message);
  }
  return undefined;
}
