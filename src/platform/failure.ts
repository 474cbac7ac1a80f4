import { inEnglish, isText } from '../language/text.ts';

/** The kind of failure in domain terms. Only a surface maps it to a status and a body. */
type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'timeout'
  | 'conflict'
  | 'too-large'
  | 'unsupported-type'
  | 'unprocessable'
  | 'too-many'
  | 'internal'
  | 'unavailable';

/** One message for the request, or messages by field. */
export type FailureDetail = string | Record<string, string | string[]>;

/** Values that a rule found, for code that writes its own message. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** One entry of the public API's error list; extra keys are sent with it. */
export interface Problem {
  error: string;
  message: string;
  /** What a validation problem concerns, which determines its place in the list. Not sent. */
  about?: { property: string } | 'whole' | 'missing' | 'unknown';
  /** As in `Failure`. Not sent. */
  reason?: string;
  facts?: Facts;
  [extra: string]: unknown;
}

const noFacts: Facts = {};

export class Failure extends Error {
  readonly kind: FailureKind;
  /** The public API's name for the error, for example `BadRequestError`. */
  readonly code: string;
  /** In English, for programs. */
  readonly detail: FailureDetail;
  /** The same in the language of the reader, if it is marked for translation. */
  readonly localised: FailureDetail;
  /** Set when there are several entries, or entries with extra keys. */
  readonly problems: Problem[] | undefined;
  readonly headers: Record<string, string> | undefined;
  /** Extra fields of the public API's response, in addition to the errors. */
  readonly extraFields: object | undefined;
  /** Identifies the rule that failed, for code that shows its own message: the text differs between countries and is meant for programs. */
  readonly reason: string | undefined;
  /** Values for that message. */
  readonly facts: Facts;

  constructor(
    kind: FailureKind,
    code: string,
    detail: FailureDetail,
    more: {
      problems?: Problem[] | undefined;
      headers?: Record<string, string> | undefined;
      extraFields?: object;
      reason?: string | undefined;
      facts?: Facts;
      cause?: unknown;
    } = {},
  ) {
    const english = detailInEnglish(detail);
    super(typeof english === 'string' ? english : JSON.stringify(english), { cause: more.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.code = code;
    this.detail = english;
    this.localised = detail;
    this.problems = more.problems;
    this.headers = more.headers;
    this.extraFields = more.extraFields;
    this.reason = more.reason;
    this.facts = more.facts ?? noFacts;
  }
}

function detailInEnglish(detail: FailureDetail): FailureDetail {
  if (isText(detail)) return inEnglish(detail);
  const texts = Object.entries(detail).map(([field, one]) => [
    field,
    isText(one) ? inEnglish(one) : one.map(inEnglish),
  ]);
  return Object.fromEntries(texts);
}

export function invalid(detail: FailureDetail, found: { reason?: string; facts?: Facts } = {}): Failure {
  return new Failure('invalid', 'BadRequestError', detail, found);
}

export function invalidField(field: string, ...texts: string[]): Failure {
  return new Failure('invalid', 'ValidationError', { [field]: texts });
}

export function notFound(detail = 'No result found', reason?: string): Failure {
  return new Failure('not-found', 'NoResultFound', detail, { reason });
}

export function forbidden(detail: FailureDetail, found: { reason?: string; facts?: Facts } = {}): Failure {
  return new Failure('forbidden', 'BadRequestError', detail, found);
}

export function conflict(detail: FailureDetail): Failure {
  return new Failure('conflict', 'ConflictError', detail);
}

/** A temporary failure on our side. */
export function unavailable(detail: string, cause?: unknown): Failure {
  return new Failure('unavailable', 'ServiceUnavailableError', detail, { headers: { 'retry-after': '1' }, cause });
}

export const statusOfKind: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  timeout: 408,
  conflict: 409,
  'too-large': 413,
  'unsupported-type': 415,
  unprocessable: 422,
  'too-many': 429,
  internal: 500,
  unavailable: 503,
};

/** An error that the operator can fix. Its message says how; it is printed without a stack trace. */
export class OperatorError extends Error {}
