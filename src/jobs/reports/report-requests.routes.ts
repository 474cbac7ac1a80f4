import { Type } from 'typebox';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { Data, Datetime, Nullable, OfService, OneOf, Raw, Uuid } from '../../protocol/fields.ts';
import type { ReportRequestRow } from './report-requests.sql.ts';
import { downloadReport, getReportRequest, reportStatuses, requestReport } from './report-requests.ts';

const ReportType = OneOf(['notifications_report']);
const Parameter = Type.Object({
  notification_type: OneOf(channels),
  notification_status: OneOf(reportStatuses),
});

const Request = Type.Object({
  user_id: Uuid,
  report_type: ReportType,
  ...Parameter.properties,
});

const Record = Type.Object({
  id: Uuid,
  user_id: Uuid,
  service_id: Uuid,
  report_type: OneOf(['notifications']),
  status: OneOf(['pending', 'in progress', 'stored', 'failed', 'deleted']),
  parameter: Parameter,
  created_at: Datetime,
  updated_at: Nullable(Datetime),
});

const ofRequest = Type.Object({ service_id: Uuid, report_request_id: Uuid });

export function reportRequestRoutes(http: Http, app: Platform): void {
  http.post(
    '/service/:service_id/report-request',
    {
      schema: {
        summary: 'Request a report of the messages of a service',
        params: OfService,
        querystring: Type.Object({ report_type: Type.Optional(ReportType) }),
        body: Request,
        response: { 200: Data(Record), 201: Data(Record) },
      },
    },
    async ({ params, body: { report_type: _, ...request } }, reply) => {
      const { row, created } = await requestReport(app, params.service_id, request);
      return reply.code(created ? 201 : 200).send({ data: record(row) });
    },
  );

  http.get(
    '/service/:service_id/report-request/:report_request_id',
    {
      schema: { summary: 'Get a requested report', params: ofRequest, response: { 200: Data(Record) } },
    },
    async ({ params }) => ({
      data: record(await getReportRequest(app.db, params.service_id, params.report_request_id)),
    }),
  );

  http.get(
    '/service/:service_id/report-request/:report_request_id/report.csv',
    {
      schema: {
        summary: 'Download a requested report, newest messages first',
        params: ofRequest,
        response: { 200: Raw('text/csv', 'One line per message') },
      },
    },
    async ({ params: { service_id, report_request_id } }, reply) => {
      const download = (reader: Platform) => downloadReport(reader, service_id, report_request_id);
      const { name, parts } = await fromStandby(app, 'file', download);
      return sendCsv(reply, name, parts);
    },
  );
}

function record({ notification_type, notification_status, ...row }: ReportRequestRow) {
  return { ...row, report_type: 'notifications' as const, parameter: { notification_type, notification_status } };
}
