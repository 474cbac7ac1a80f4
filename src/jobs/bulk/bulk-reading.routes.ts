import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { invalid } from '../../platform/failure.ts';
import { requestRoot } from '../../platform/http/root.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { Data, Uuid } from '../../protocol/fields.ts';
import { type FileFormat, problemsOf, resultsOf } from './bulk-files.ts';
import { BulkJob, getBulkJob, listBulkJobs } from './bulk-records.ts';
import * as examples from './examples.ts';

const path = '/v2/notifications/bulk';
const params = Type.Object({ job_id: Uuid });

export function bulkReadingRoutes(http: Http, app: Platform & { config: { urls: Urls } }): void {
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
      const bulk_jobs = await listBulkJobs(app.db, apiCallerOf(request), older_than);
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
    async (request) => ({ data: await getBulkJob(app.db, apiCallerOf(request), request.params.job_id) }),
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
      const job = await getBulkJob(app.db, apiCallerOf(request), request.params.job_id);
      const format = formatOf(request);
      const results = async ({ db }: Platform) => resultsOf(db, job, format);
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
      const job = await getBulkJob(app.db, apiCallerOf(request), request.params.job_id);
      const format = formatOf(request);
      return sendFile(reply, format, await problemsOf(app.db, job, format));
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
