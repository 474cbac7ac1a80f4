import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import {
  admissionOf,
  admitSending,
  idempotencyErrors,
  idempotencyHeader,
} from '../../notifications/sending/admission.ts';
import { digestOfRequest } from '../../notifications/sending/idempotency.ts';
import type { SendContext } from '../../notifications/sending/send-context.ts';
import { takeNothingForEmpty } from '../../platform/http/body/body.ts';
import { takesFiles } from '../../platform/http/body/body-limits.ts';
import { StreamedBody } from '../../platform/http/body/streamed-body.ts';
import type { Http } from '../../platform/http/surface.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { Data, QueryBoolean, Uuid } from '../../protocol/fields.ts';
import { BulkCheck, bulkCheck } from './bulk-check.ts';
import type { BulkDeps } from './bulk-deps.ts';
import { BulkJob } from './bulk-records.ts';
import { BulkParameters, BulkRequest } from './bulk-requests.ts';
import { cancelBulk } from './cancel-bulk.ts';
import { digestOfStream } from './claim.ts';
import * as examples from './examples.ts';
import type { BulkBody } from './open-body.ts';
import { type BulkSend, isDryRun, readBulkParameters, readBulkRequest } from './read-bulk-request.ts';
import { checkBulk } from './send-bulk.ts';
import { sendBulkOnce } from './send-bulk-once.ts';

/** 100,000 rows of a dozen columns. Larger files are sent as CSV or NDJSON, which are not held in memory. */
const maxBodyValues = 1_500_000;

const bodyTypes = {
  '': 'json',
  'application/json': 'json',
  'text/csv': 'stream',
  'application/x-ndjson': 'stream',
} as const;

/** A request whose parameters are valid. Its rows may not have been read. */
interface ReadRequest {
  send: BulkSend;
  body: BulkBody;
  /** Known when the body was read. */
  digest: () => string;
  /** Reads what was not read, so that the digest is known. */
  finish: () => Promise<void>;
}

export function bulkRoutes(http: Http, app: BulkDeps): void {
  http.post(
    '/v2/notifications/bulk',
    {
      ...takesFiles,
      attachValidation: true,
      preValidation: takeNothingForEmpty,
      config: { bodyRequired: true, bodyTypes, maxBodyValues, verbatimNumbersUnder: 'rows' },
      onRequest: admitSending(app),
      schema: {
        summary: 'Send a message to each row of a file',
        description:
          'JSON has all parameters in its body. CSV and NDJSON have them in the query, may be larger, and are read while they arrive.',
        headers: idempotencyHeader,
        querystring: Type.Partial(
          Type.Object({
            ...BulkParameters.properties,
            dry_run: Type.Optional({ ...QueryBoolean, description: 'Check all rows, and send nothing' }),
          }),
        ),
        body: {
          content: {
            'application/json': { schema: BulkRequest },
            'text/csv': { schema: Type.Unsafe<unknown>({ description: 'The column names first' }) },
            'application/x-ndjson': {
              schema: Type.Unsafe<unknown>({
                description:
                  'Lines of {"email_address" or "phone_number", "personalisation", "reference"}; letters have their address in personalisation',
              }),
            },
          },
        },
        response: {
          200: { ...Data(BulkCheck), description: 'With dry_run', examples: [{ data: examples.bulkCheck }] },
          201: { ...Data(BulkJob), examples: [{ data: examples.bulkJob }] },
          ...idempotencyErrors,
          415: { ...publicErrors.errorSchema, examples: [examples.unsupportedType] },
        },
      },
    },
    async (request, reply) => {
      const { context } = admissionOf(request);
      const read = readRequest(app, request, context);
      if (isDryRun(request)) {
        reply.code(200);
        return { data: bulkCheck(await checkBulk(app, context, read.send, read.body)) };
      }
      const { response, replayed } = await sendBulkOnce(app, admissionOf(request), apiCallerOf(request), read);
      return respond(reply, response, replayed);
    },
  );

  http.delete(
    '/v2/notifications/bulk/:job_id',
    {
      schema: {
        summary: 'Cancel a bulk send: rows that are no messages yet, and messages that wait',
        params: Type.Object({ job_id: Uuid }),
        response: {
          200: { ...Data(BulkJob), examples: [{ data: examples.cancelledJob }] },
          409: publicErrors.errorSchema,
        },
      },
    },
    async (request) => ({ data: await cancelBulk(app, apiCallerOf(request), request.params.job_id) }),
  );
}

function respond<Body>(reply: FastifyReply, response: Body, replayed: boolean): Body {
  reply.code(201);
  if (replayed) reply.header('idempotent-replayed', 'true');
  return response;
}

function readRequest(app: BulkDeps, request: FastifyRequest, { now }: SendContext): ReadRequest {
  const { body } = request;
  if (!(body instanceof StreamedBody)) {
    const { send, source } = readBulkRequest(request, now);
    return { send, body: source, digest: () => digestOfRequest('bulk', body), finish: async () => undefined };
  }
  const type = /^\s*text\/csv\b/i.test(request.headers['content-type'] ?? '') ? 'text/csv' : 'application/x-ndjson';
  const bytes = body.read(app.config.bulk.maxBytes);
  return {
    send: readBulkParameters(request, now),
    body: { type, bytes },
    digest: () => digestOfStream(type, request.query as object, body.digest()),
    finish: async () => {
      for await (const _ of bytes);
    },
  };
}
