import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { Failure } from '../failure.ts';
import { parseWithNumbersAsWritten } from './verbatim-numbers.ts';

declare module 'fastify' {
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

/** A JSON body is read whatever the content type says; an empty one is no body. */
export function readBodies(http: FastifyInstance, formats: Record<string, (body: Buffer) => unknown> = {}): void {
  http.removeAllContentTypeParsers();
  for (const [contentType, parse] of Object.entries(formats)) {
    http.addContentTypeParser(contentType, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      parse(body),
    );
  }
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    let value: unknown;
    try {
      value = parseJson(body, request.routeOptions.config.verbatimNumbersUnder);
    } catch (error) {
      return done(request.routeOptions.config.malformedJson?.() ?? (error as MalformedJson));
    }
    done(null, value);
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parseJson(body: Buffer, verbatimNumbersUnder?: string): unknown {
  if (body.length === 0) return undefined;
  try {
    // The decoder also drops a byte order mark.
    const text = decoder.decode(body);
    return verbatimNumbersUnder === undefined
      ? JSON.parse(text)
      : parseWithNumbersAsWritten(text, verbatimNumbersUnder);
  } catch (error) {
    throw new MalformedJson(error);
  }
}

/** A form, unless what came is plainly JSON: clients such as curl call everything a form. */
export function parseForm(body: Buffer): unknown {
  const text = body.toString();
  return /^\s*[{[]/.test(text) ? parseJson(body) : Object.fromEntries(new URLSearchParams(text));
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
  if (error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) {
    return new Failure('too-large', 'BadRequestError', 'Request body is too large');
  }
  // Lists within lists by the thousand: whatever walks down such a value runs out of stack.
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return new Failure('invalid', 'BadRequestError', 'The request is nested too deeply');
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Failure('invalid', 'BadRequestError', (error as Error).message);
  }
  return undefined;
}
