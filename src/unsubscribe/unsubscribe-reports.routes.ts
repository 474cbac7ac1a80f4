import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Datetime, LondonTime, NoContent, Nullable, OfService, Uuid } from '../protocol/fields.ts';
import {
  countUnsubscribes,
  createUnsubscribeReport,
  getUnsubscribeReport,
  listUnsubscribeReports,
  processUnsubscribeReport,
} from './unsubscribe-reports.ts';

const OfReport = Type.Object({ service_id: Uuid, batch_id: Uuid });

export function unsubscribeReportRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/unsubscribe-request-statistics',
    {
      schema: {
        summary:
          'Count the unprocessed unsubscribe requests of the last seven days; empty if the service has no requests at all',
        params: OfService,
        response: {
          200: Type.Object({
            unsubscribe_requests_count: Type.Optional(Type.Integer()),
            datetime_of_latest_unsubscribe_request: Type.Optional(Datetime),
          }),
        },
      },
    },
    (request) => countUnsubscribes(app, request.params.service_id),
  );

  http.get(
    '/service/:service_id/unsubscribe-request-reports-summary',
    {
      schema: {
        summary: 'List unsubscribe reports, newest first; requests that are not in a report yet come before them',
        params: OfService,
        response: {
          200: Type.Array(
            Type.Object({
              batch_id: Nullable(Uuid),
              service_id: Uuid,
              count: Type.Integer(),
              earliest_timestamp: Datetime,
              latest_timestamp: Datetime,
              processed_by_service_at: Nullable(Datetime),
              created_at: Nullable(Datetime),
              is_a_batched_report: Type.Boolean(),
              will_be_archived_at: Datetime,
            }),
          ),
        },
      },
    },
    (request) => listUnsubscribeReports(app, request.params.service_id),
  );

  http.get(
    '/service/:service_id/unsubscribe-request-report/:batch_id',
    {
      schema: {
        summary: 'Get the unsubscribe requests in a report, newest first',
        params: OfReport,
        response: {
          200: Type.Object({
            batch_id: Uuid,
            earliest_timestamp: Datetime,
            latest_timestamp: Datetime,
            unsubscribe_requests: Type.Array(
              Type.Object({
                email_address: Type.String(),
                template_name: Type.String(),
                original_file_name: Nullable(Type.String()),
                template_sent_at: LondonTime,
                unsubscribe_request_received_at: LondonTime,
              }),
            ),
          }),
        },
      },
    },
    (request) => getUnsubscribeReport(app, request.params.service_id, request.params.batch_id),
  );

  http.post(
    '/service/:service_id/create-unsubscribe-request-report',
    {
      schema: {
        summary: 'Create a report of the requests that are not in a report yet',
        params: OfService,
        body: Type.Object({
          earliest_timestamp: Type.Optional(Nullable(Type.String({ format: 'datetime' }))),
          latest_timestamp: Type.Optional(Nullable(Type.String({ format: 'datetime' }))),
        }),
        response: { 201: Type.Object({ report_id: Uuid }) },
      },
    },
    async (request, reply) => {
      const { earliest_timestamp, latest_timestamp } = request.body;
      const between = { from: earliest_timestamp ?? undefined, to: latest_timestamp ?? undefined };
      return reply.code(201).send(await createUnsubscribeReport(app, request.params.service_id, between));
    },
  );

  http.post(
    '/service/:service_id/process-unsubscribe-request-report/:batch_id',
    {
      schema: {
        summary: 'Mark a report as processed or unprocessed by the service',
        params: OfReport,
        body: Type.Object({ report_has_been_processed: Type.Boolean() }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { service_id, batch_id } = request.params;
      await processUnsubscribeReport(app, service_id, batch_id, request.body.report_has_been_processed);
      return reply.code(204).send(null);
    },
  );
}
