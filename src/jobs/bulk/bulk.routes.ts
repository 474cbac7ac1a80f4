import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import {
  admissionOf,
  admitSending,
  idempotencyErrors,
  idempotencyHeader,
} from '../../notifications/sending/admission.ts';
import { digestOfRequest } from '../../notifications/sending/idempotency.ts';
import type { SendContext } from '../../notifications/sending/send-context.ts';
import type { WindowDeps } from '../../notifications/windows/placing.ts';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { type Failure, invalid } from '../../platform/failure.ts';
import { acceptEmptyBody } from '../../platform/http/body/body.ts';
import { acceptsFiles } from '../../platform/http/body/body-limits.ts';
import { StreamedBody } from '../../platform/http/body/streamed-body.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Urls } from '../../platform/settings.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { Data, Nullable, QueryBoolean, Uuid } from '../../protocol/fields.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import {
  BulkJob,
  cancelBulk,
  type FileFormat,
  getBulkJob,
  listBulkJobs,
  problemsOf,
  resultsOf,
} from './bulk-records.ts';
import {
  type BulkBody,
  BulkParameters,
  BulkRequest,
  type BulkSend,
  isDryRun,
  readBulkParameters,
  readBulkRequest,
} from './bulk-requests.ts';
import * as examples from './examples.ts';
import { type BulkDeps, checkBulk, digestOfStream, sendBulkOnce } from './send-bulk.ts';

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
  /** Call it after the body was read. */
  digest: () => string;
  /** Reads the rest of the body, so that the digest covers all of it. */
  finish: () => Promise<void>;
}

const ProblemRow = Type.Object({
  row: Type.Integer({ description: 'As a spreadsheet counts: the column names are row 1' }),
  recipient: Nullable(Type.String()),
  cells: Type.Record(Type.String(), Type.Any()),
  problems: Type.Array(Type.Object({ column: Nullable(Type.String()), problem: Type.String() })),
});

/** The result of a dry run. */
const BulkCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the request would be accepted' }),
    message: Nullable(Type.String({ description: 'Why not: the error that the request would get' })),
    notification_count: Type.Integer({ description: 'All rows' }),
    rows_with_problems: Type.Integer(),
    problem_counts: Type.Record(Type.String(), Type.Integer(), { description: 'Rows with each kind of problem' }),
    rows_shown: Type.Array(ProblemRow, { description: 'The first 50 rows with problems, or the first 50 rows' }),
  },
  { title: 'BulkCheck' },
);

function bulkCheck({
  summary,
  refusal,
}: {
  summary: FileSummary;
  refusal: Failure | undefined;
}): Static<typeof BulkCheck> {
  return {
    valid: refusal === undefined,
    message: refusal === undefined ? null : String(refusal.detail),
    notification_count: summary.row_count,
    rows_with_problems: summary.rows_with_problems,
    problem_counts: summary.row_problem_counts as Record<string, number>,
    rows_shown: summary.rows_shown.map(({ row, recipient, cells, problems }) => ({ row, recipient, cells, problems })),
  };
}

export function bulkRoutes(http: Http, app: BulkDeps): void {
  http.post(
    '/v2/notifications/bulk',
    {
      ...acceptsFiles,
      attachValidation: true,
      preValidation: acceptEmptyBody,
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

const path = '/v2/notifications/bulk';
const params = Type.Object({ job_id: Uuid });

export function bulkReadingRoutes(http: Http, app: WindowDeps & { config: { urls: Urls } }): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    path,
    {
      schema: {
        summary: 'List bulk sends made with keys of the same type, newest first, 250 per page',
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              bulk_jobs: Type.Array(BulkJob),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            { examples: [examples.bulkJobs] },
          ),
        },
      },
    },
    async (request) => {
      const { older_than } = request.query;
      const bulk_jobs = await listBulkJobs(app, apiCallerOf(request), older_than);
      const here = `${rootOf(request)}${path}`;
      const last = bulk_jobs.at(-1);
      return {
        bulk_jobs,
        links: {
          current: older_than === undefined ? here : `${here}?older_than=${older_than}`,
          ...(last ? { next: `${here}?older_than=${last.id}` } : {}),
        },
      };
    },
  );

  http.get(
    `${path}/:job_id`,
    {
      schema: {
        summary: 'Get a bulk send: its progress, and how many messages have each status',
        params,
        response: { 200: { ...Data(BulkJob), examples: [{ data: examples.finishedJob }] } },
      },
    },
    async (request) => ({ data: await getBulkJob(app, app.db, apiCallerOf(request), request.params.job_id) }),
  );

  http.get(
    `${path}/:job_id/results`,
    {
      schema: {
        summary: 'Download the messages of a bulk send in the order of its rows, as CSV or NDJSON',
        params,
        response: {
          200: fileOf(
            'Rows are counted from 1, without the column names',
            'row,id,recipient,reference,status,updated_at\r\n',
            examples.resultLine,
          ),
        },
      },
    },
    async (request, reply) => {
      const job = await getBulkJob(app, app.db, apiCallerOf(request), request.params.job_id);
      const format = formatOf(request);
      const results = async ({ db }: WindowDeps) => resultsOf(db, job, format);
      return sendFile(reply, format, await fromStandby(app, 'file', results));
    },
  );

  http.get(
    `${path}/:job_id/problems`,
    {
      schema: {
        summary: 'Download the rows of a bulk send that have problems and were not sent, as CSV or NDJSON',
        params,
        response: {
          200: fileOf(
            'Rows are counted as in a spreadsheet: the column names are row 1',
            'Row number,phone number,name,Problem\r\n',
            examples.problemLine,
          ),
        },
      },
    },
    async (request, reply) => {
      const job = await getBulkJob(app, app.db, apiCallerOf(request), request.params.job_id);
      const format = formatOf(request);
      return sendFile(reply, format, await problemsOf(app, job, format));
    },
  );
}

const types: Record<FileFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

function fileOf(description: string, csv: string, line: object) {
  const schema = Type.Unsafe<string>({ type: 'string' });
  return {
    description,
    content: {
      'text/csv': { schema, example: csv },
      'application/x-ndjson': { schema, example: `${JSON.stringify(line)}\n` },
    },
  };
}

/** CSV unless the client prefers NDJSON. */
function formatOf(request: FastifyRequest): FileFormat {
  const type = request.type([types.csv, `${types.csv}; charset=utf-8`, types.ndjson]);
  if (type === false) throw invalid('Accept must allow text/csv or application/x-ndjson');
  return type === types.ndjson ? 'ndjson' : 'csv';
}

function sendFile(reply: FastifyReply, format: FileFormat, parts: AsyncIterable<string>): FastifyReply {
  return reply
    .type(`${types[format]}; charset=utf-8`)
    .header('vary', 'accept')
    .send(Readable.from(parts, { objectMode: false }));
}
