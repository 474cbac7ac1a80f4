import { Type } from 'typebox';
import { fromStandby } from '../platform/db/servers/standby.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Day, Nullable, Uuid } from '../protocol/fields.ts';
import { countLiveServices, getPerformance, performanceDays } from './performance-dashboard.ts';

const AllTimeCount = Type.Integer({ description: 'All-time count' });

export function performanceDashboardRoutes(http: Http, app: Platform): void {
  http.get(
    '/performance-dashboard',
    {
      schema: {
        summary: 'Message volumes, processing times and live services',
        querystring: Type.Object({ start_date: Type.Optional(Day), end_date: Type.Optional(Day) }),
        response: {
          200: Type.Object({
            total_notifications: AllTimeCount,
            email_notifications: AllTimeCount,
            sms_notifications: AllTimeCount,
            letter_notifications: AllTimeCount,
            notifications_by_type: Type.Array(
              Type.Object({ date: Day, emails: Type.Integer(), sms: Type.Integer(), letters: Type.Integer() }),
            ),
            processing_time: Type.Array(Type.Object({ date: Day, percentage_under_10_seconds: Type.Number() })),
            live_service_count: Type.Integer(),
            services_using_notify: Type.Array(
              Type.Object({
                organisation_id: Nullable(Uuid),
                organisation_name: Nullable(Type.String()),
                service_id: Uuid,
                service_name: Type.String(),
              }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const days = performanceDays(app.country.calendar.day(app.clock.now()), request.query);
      return fromStandby(app, 'page', (reader) => getPerformance(reader.db, days));
    },
  );

  http.get(
    '/_status/live-service-and-organisation-counts',
    {
      schema: {
        summary: 'Count live services and the organisations that own them',
        response: { 200: Type.Object({ organisations: Type.Integer(), services: Type.Integer() }) },
      },
    },
    async () => fromStandby(app, 'page', ({ db }) => countLiveServices(db)),
  );
}
