import { Type } from 'typebox';
import { fromStandby } from '../platform/db/servers/standby.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Day, Nullable, Uuid } from '../protocol/fields.ts';
import { listLiveServices, listMonthsOfServices } from './service-lists.ts';

const LiveService = Type.Object({
  service_id: Uuid,
  service_name: Type.String(),
  organisation_name: Nullable(Type.String()),
  organisation_type: Nullable(Type.String()),
  consent_to_research: Nullable(Type.Boolean()),
  contact_name: Nullable(Type.String()),
  contact_email: Nullable(Type.String()),
  contact_mobile: Nullable(Type.String()),
  live_date: Nullable(Type.String({ description: 'HTTP date, such as Sun, 15 Nov 2026 12:19:32 GMT' })),
  sms_volume_intent: Nullable(Type.Integer()),
  email_volume_intent: Nullable(Type.Integer()),
  letter_volume_intent: Nullable(Type.Integer()),
  sms_totals: Type.Integer(),
  email_totals: Type.Integer(),
  letter_totals: Type.Integer(),
  free_sms_fragment_limit: Nullable(Type.Integer()),
});

export function serviceListRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/live-services-data',
    {
      schema: {
        summary: 'List live services with their contact and volumes in this financial year',
        response: { 200: Data(Type.Array(LiveService)) },
      },
    },
    async () => ({ data: await fromStandby(app, 'page', listLiveServices) }),
  );

  http.get(
    '/service/monthly-data-by-service',
    {
      schema: {
        summary: 'Message counts of live services by month and type',
        querystring: Type.Object({ start_date: Day, end_date: Day }),
        response: {
          200: {
            description:
              'Month, service id, service name, type; sending, delivered, technical, temporary and permanent failures, sent',
            content: {
              'application/json': {
                schema: Type.Unsafe<string>(Type.Array(Type.Array(Type.Unsafe({ type: ['string', 'integer'] })))),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const lines = await fromStandby(app, 'page', (reader) => listMonthsOfServices(reader, request.query));
      return reply.type('application/json; charset=utf-8').serializer(String).send(lines);
    },
  );
}
