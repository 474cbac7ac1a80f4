import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ExportRow } from '../../notifications/history/activity-export.ts';
import { activityRecordSchema } from '../../notifications/history/activity-record.ts';
import { publicStatuses } from '../../notifications/history/public-notification.ts';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import { PageLinks, pageLinks } from '../../platform/http/page-links.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { isTrue, OneOf, QueryBoolean, QueryInteger, Raw, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { readPage } from '../jobs.ts';
import { originalOfJob, pageOfJob, reportOfJob } from './job-report.ts';

const params = Type.Object({ service_id: Uuid, job_id: Uuid });

export function jobReportRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/job/:job_id/report.csv',
    {
      schema: {
        summary: 'Download the rows of a job with the status of each message',
        params,
        response: { 200: Raw('text/csv', 'The columns of the file between the row number and the status') },
      },
    },
    async ({ params: { service_id, job_id } }, reply) => {
      const { name, parts } = await fromStandby(app, 'file', (reader) => reportOfJob(reader, service_id, job_id));
      return sendCsv(reply, name, parts);
    },
  );

  http.get(
    '/service/:service_id/job/:job_id/original.csv',
    {
      schema: {
        summary: 'Download the file of a job as it was uploaded, as CSV',
        params,
        response: { 200: Raw('text/csv', 'The cells of the file, unchanged') },
      },
    },
    async ({ params: { service_id, job_id } }, reply) => {
      const { name, parts } = await fromStandby(app, 'file', (reader) => originalOfJob(reader, service_id, job_id));
      return sendCsv(reply, name, parts);
    },
  );
}

const defaultPageSize = 50;
/** The page size of the front end. */
const maxPageSize = 5_000;

export function notificationsOfJobRoutes(http: Http, app: Platform & { compiledTemplates: CompiledTemplates }): void {
  http.get(
    '/service/:service_id/job/:job_id/notifications',
    {
      schema: {
        summary: 'List the messages of a job in the order of its file',
        params: Type.Object({ service_id: Uuid, job_id: Uuid }),
        querystring: Type.Object({
          status: Type.Optional(Type.Array(OneOf(publicStatuses))),
          template_type: Type.Optional(Type.Array(OneOf(channels))),
          page: Type.Optional(QueryInteger),
          page_size: Type.Optional(QueryInteger),
          format_for_csv: Type.Optional(QueryBoolean),
        }),
        response: {
          200: Type.Object({
            notifications: Type.Array(Type.Union([activityRecordSchema(app.country), ExportRow])),
            page_size: Type.Integer(),
            total: Type.Integer(),
            links: PageLinks,
          }),
        },
      },
      preValidation: readListParameters,
    },
    async (request, reply) => {
      const { params, query } = request;
      const page = readPage('page', query.page) ?? 1;
      const page_size = Math.min(readPage('page_size', query.page_size) ?? defaultPageSize, maxPageSize);
      const { status, template_type } = query;
      const wanted = { status, template_type, page, page_size, format_for_csv: isTrue(query.format_for_csv) };
      const read = (reader: typeof app) => pageOfJob(reader, params.service_id, params.job_id, wanted);
      const { notifications, total, pages } = await (wanted.format_for_csv
        ? fromStandby(app, 'file', read)
        : read(app));
      const path = `/service/${params.service_id}/job/${params.job_id}/notifications`;
      // The serializer of a union validates each record against both schemas, which took a fifth of a page of 5,000.
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
      return {
        notifications,
        page_size,
        total,
        links: pageLinks(path, query, { page, pages }),
      };
    },
  );
}

async function readListParameters(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of ['status', 'template_type']) if (query[name] !== undefined) query[name] = [query[name]].flat();
}
