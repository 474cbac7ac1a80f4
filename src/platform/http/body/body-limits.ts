import { Failure } from '../../failure.ts';

/** Default maximum body size of a route, for bodies without files or long texts. */
export const maxBodyBytes = 256 * 1024;

/** Default maximum number of values (object members, list items) in a body. */
export const maxBodyValues = 10_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    maxBodyValues?: number;
  }
}

/** Larger limits, spread into the options of the routes that need them: `...acceptsFiles`. */
export const acceptsFiles = { bodyLimit: 20 * 1024 * 1024 };
/** An email of two million bytes, with room for JSON escapes. */
export const acceptsLongText = { bodyLimit: 6 * 1024 * 1024 };
export const acceptsLongLists = { bodyLimit: 6 * 1024 * 1024, config: { maxBodyValues: 150_000 } };

/** Recursing into deeper values may overflow the stack. */
const maxDepth = 5_000;

/** Counting costs a nanosecond per byte, and smaller bodies cannot contain enough values to matter. */
const countedFrom_bytes = 16 * 1024;

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [bracket, brace, closingBracket, closingBrace] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Called before JSON is parsed: a value may take two bytes on the wire and a hundred in memory, and each may cause a
 * problem to report. Every value except the first follows a comma or an opening bracket.
 */
export function refuseTooManyValues(json: Buffer, max = maxBodyValues): void {
  if (json.length < countedFrom_bytes) return;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at + 1);
    else if (byte === comma) values += 1;
    else if (byte === bracket || byte === brace) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) throw nestedTooDeeply();
    } else if (byte === closingBracket || byte === closingBrace) depth -= 1;
    if (values > max) throw tooManyValues();
  }
}

/** Checks this many bytes one by one before calling `indexOf`, which has a higher start-up cost. */
const searchedAfter = 64;

/** Returns the index of the closing quote. A file is one string of millions of bytes. */
function endOfText(json: Buffer, start: number): number {
  let ordinary = 0;
  let nextQuote = -1;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) return at;
    if (byte === backslash) {
      at += 1;
      ordinary = 0;
    } else if (ordinary < searchedAfter) ordinary += 1;
    else {
      // One search is enough for all escapes before it.
      if (nextQuote < at) nextQuote = json.indexOf(quote, at);
      if (nextQuote === -1) return json.length;
      const escapeAt = json.subarray(at, nextQuote).indexOf(backslash);
      if (escapeAt === -1) return nextQuote;
      at += escapeAt - 1;
      ordinary = 0;
    }
  }
  return json.length;
}

export function tooManyValues(): Failure {
  return new Failure('invalid', 'BadRequestError', 'The request has too many values');
}

export function nestedTooDeeply(): Failure {
  return new Failure('invalid', 'BadRequestError', 'The request is nested too deeply');
}
