import { Type } from 'typebox';
import { Failure, type FailureDetail } from '../platform/failure.ts';
import { MalformedJson } from '../platform/http/body/body.ts';
import { urlNotFound } from '../platform/http/declared-routes.ts';
import type { SchemaError } from '../platform/http/schema-errors.ts';
import type { SchemaPlace } from '../platform/http/surface.ts';
import { OneOf } from './fields.ts';
import { fieldTexts, publicProblems } from './schema-problems.ts';

const notUnderstood = 'The browser (or proxy) sent a request that this server could not understand.';

/** The format `{"result":"error","message":...}`, whose message is a text, or texts by field. */
export const adminErrors = {
  errorBody: (failure: Failure) => ({
    result: 'error',
    message: failure instanceof MalformedJson ? notUnderstood : failure.detail,
  }),
  schemaFailure(errors: SchemaError[], place: SchemaPlace): Failure {
    // A malformed id in a path matches no resource.
    if (place === 'params') return new Failure('not-found', 'NotFoundError', urlNotFound);
    return new Failure('invalid', 'ValidationError', fieldTexts(errors));
  },
  errorSchema: Type.Object(
    {
      result: OneOf(['error']),
      message: Type.Unsafe<FailureDetail>({
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          },
        ],
      }),
    },
    { title: 'AdminError', description: 'A text, or texts by field' },
  ),
};

/** The format `{"status_code":...,"errors":[{"error","message"}]}`, with all errors, for the public API. */
export const publicErrors = {
  errorBody: (failure: Failure, status: number) => ({
    status_code: status,
    errors: failure.problems?.map(({ about: _about, reason: _reason, facts: _facts, ...entry }) => entry) ?? [
      { error: failure.code, message: plainText(failure.detail) },
    ],
    ...failure.extraFields,
  }),
  schemaFailure(errors: SchemaError[], place?: SchemaPlace): Failure {
    const problems = publicProblems(errors, place);
    return new Failure('invalid', 'ValidationError', problems.map((problem) => problem.message).join('; '), {
      problems,
    });
  },
  errorSchema: Type.Object(
    {
      status_code: Type.Integer(),
      errors: Type.Array(Type.Object({ error: Type.String(), message: Type.String() }, { additionalProperties: true })),
    },
    { title: 'PublicError' },
  ),
  errorExamples: {
    400: example(400, 'BadRequestError', 'Missing personalisation: day'),
    401: example(401, 'AuthError', 'Unauthorized: authentication token must be provided'),
    403: example(403, 'AuthError', 'Invalid token: API key not found'),
    404: example(404, 'NoResultFound', 'No result found'),
    429: example(429, 'RateLimitError', 'Exceeded rate limit for key type LIVE of 1 requests per 60 seconds'),
  },
};

function example(status_code: number, error: string, message: string) {
  return { status_code, errors: [{ error, message }] };
}

/** The format `{"message","status_code"}` for platform statistics. */
export const statisticsErrors = {
  errorBody(failure: Failure, status: number): unknown {
    // An authentication error has the same body as on the rest of the administrative API.
    if (failure.kind === 'unauthenticated' || failure.code === 'AuthError') return adminErrors.errorBody(failure);
    return { message: plainText(failure.detail), status_code: status };
  },
  schemaFailure: (_errors: SchemaError[], place: SchemaPlace) =>
    place === 'params'
      ? new Failure('not-found', 'NotFoundError', urlNotFound)
      : new Failure('invalid', 'ValidationError', 'Input must be a date in the format: YYYY-MM-DD'),
  errorSchema: Type.Object({ message: Type.String(), status_code: Type.Integer() }, { title: 'StatisticsError' }),
  credentialErrorSchema: adminErrors.errorSchema,
};

function plainText(detail: FailureDetail): string {
  if (typeof detail === 'string') return detail;
  return Object.entries(detail)
    .map(([field, texts]) => `${field} ${[texts].flat().join(' ')}`)
    .join('; ');
}
