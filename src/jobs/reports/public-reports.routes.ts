import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actAsKey, apiCallerOf } from '../../auth/api-caller.ts';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, Urls } from '../../platform/settings.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import {
  downloadPublicReport,
  getPublicReport,
  languages,
  listPublicReports,
  publicStatuses,
  refuseUnlessReportManager,
  reportTypes,
  requestPublicReport,
} from './public-reports.ts';

const path = '/v2/reports';
const OfReport = Type.Object({ report_id: Uuid });

const example = {
  id: '0199a0a6-51c4-7c55-b0a7-2b9d6a7a4c02',
  report_type: 'email',
  service_id: '0199a0a1-7d3e-7c55-b0a7-1f2e3d4c5b6a',
  status: 'ready',
  requested_at: '2026-11-15T12:00:00.000000Z',
  completed_at: '2026-11-15T12:00:01.000000Z',
  expires_at: '2026-11-16T12:00:00.000000Z',
  api_key_id: '0199a0a1-8a10-7c55-b0a7-0c1d2e3f4a5b',
};

const Report = Type.Object(
  {
    id: Uuid,
    report_type: OneOf(reportTypes),
    service_id: Uuid,
    status: OneOf(publicStatuses),
    requested_at: Datetime,
    completed_at: Nullable(Datetime),
    expires_at: Nullable(Datetime),
    api_key_id: Nullable(Uuid),
  },
  { title: 'Report', examples: [example] },
);

const ReportRequest = Type.Object(
  {
    report_type: OneOf(reportTypes),
    language: Type.Unsafe<(typeof languages)[number]>({ ...OneOf(languages), description: 'Of the headings' }),
    job_id: Type.Optional(Nullable(Uuid)),
  },
  {
    title: 'ReportRequest',
    additionalProperties: false,
    examples: [{ report_type: 'email', language: 'en' }],
    if: { properties: { report_type: { const: 'job' } }, required: ['report_type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { job_id: { type: 'string', format: 'uuid' } }, required: ['job_id'] },
  },
);

const needsManager = 'As in GC Notify. Needs a key that may request reports.';

/** The permission comes before everything else. */
const checkManager = async (request: FastifyRequest) => refuseUnlessReportManager(apiCallerOf(request));

/** The reports of GC Notify. */
export function publicReportRoutes(http: Http, app: Platform & { config: { urls: Urls; http: HttpSettings } }): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.post(
    path,
    {
      schema: {
        summary: 'Request a report of the messages of the last 7 days, or of a job; at most 10 per hour',
        description: needsManager,
        body: ReportRequest,
        response: {
          202: Type.Object(
            { report_id: Uuid, status: OneOf(publicStatuses) },
            { examples: [{ report_id: example.id, status: 'requested' }] },
          ),
        },
      },
      preValidation: checkManager,
    },
    async (request, reply) => {
      const { id } = await actAsKey(app, request, (author) =>
        requestPublicReport(app, apiCallerOf(request), request.body, author),
      );
      return reply.code(202).header('location', `${path}/${id}`).send({ report_id: id, status: 'requested' });
    },
  );

  http.get(
    path,
    {
      schema: {
        summary: 'List the reports that keys of the service have requested, newest first, 250 per page',
        description: needsManager,
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              reports: Type.Array(Report),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            {
              examples: [
                {
                  reports: [example],
                  links: {
                    current: `http://localhost:6011${path}`,
                    next: `http://localhost:6011${path}?older_than=${example.id}`,
                  },
                },
              ],
            },
          ),
        },
      },
      preValidation: checkManager,
    },
    async (request) => {
      const { older_than } = request.query;
      const reports = await listPublicReports(app.db, apiCallerOf(request), older_than);
      const here = `${rootOf(request)}${path}`;
      const last = reports.at(-1);
      return {
        reports,
        links: {
          current: older_than === undefined ? here : `${here}?older_than=${older_than}`,
          ...(last ? { next: `${here}?older_than=${last.id}` } : {}),
        },
      };
    },
  );

  http.get(
    `${path}/:report_id`,
    {
      schema: {
        summary: 'Get a report: its status, and until when it can be downloaded',
        description: needsManager,
        params: OfReport,
        response: { 200: Report },
      },
      preValidation: checkManager,
    },
    async (request) => getPublicReport(app.db, apiCallerOf(request), request.params.report_id),
  );

  http.get(
    `${path}/:report_id/content`,
    {
      schema: {
        summary: 'Download a report as CSV, newest messages first, or in the order of the rows of a job',
        description: needsManager,
        params: OfReport,
        response: {
          200: {
            description: 'One line per message',
            content: {
              'text/csv': {
                schema: Type.Unsafe<string>({ type: 'string' }),
                example: 'Recipient,Template,Type,Sent by,Sent by email,Job,Status,Sent Time\r\n',
              },
            },
          },
          409: publicErrors.errorSchema,
        },
      },
      preValidation: checkManager,
    },
    async (request, reply) => {
      const { service_id } = apiCallerOf(request);
      const download = (reader: Platform) => downloadPublicReport(reader, service_id, request.params.report_id);
      const { name, parts } = await fromStandby(app, 'file', download);
      return sendCsv(reply, name, parts);
    },
  );
}
