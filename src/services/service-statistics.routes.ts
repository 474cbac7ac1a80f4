import { Type } from 'typebox';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalidField } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, isTrue, OfService, QueryBoolean, QueryInteger } from '../protocol/fields.ts';
import { Statistics, StatisticsOfMonth } from './service-fields.ts';
import { getMonthlyStatistics, getRecentStatistics } from './service-statistics.ts';

export function serviceStatisticsRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/statistics',
    {
      schema: {
        summary: 'Count messages of a service, today and on the days before, in London time',
        params: OfService,
        querystring: Type.Object({
          today_only: Type.Optional(QueryBoolean),
          limit_days: Type.Optional(QueryInteger),
        }),
        response: { 200: Data(Statistics) },
      },
    },
    async (request) => {
      const { today_only, limit_days = '7' } = request.query;
      if (Number(limit_days) < 0) throw invalidField('limit_days', 'Must be greater than or equal to 0.');
      await refuseUnlessExists(app.db, 'services', request.params.service_id);
      const days = { today_only: isTrue(today_only), limit_days: Number(limit_days) };
      return { data: await getRecentStatistics(app, request.params.service_id, days) };
    },
  );

  http.get(
    '/service/:service_id/notifications/monthly',
    {
      schema: {
        summary: 'Count messages of a service by month of a financial year',
        params: OfService,
        querystring: Type.Object({
          year: Type.Optional(Type.String({ description: 'Required; the year in which the financial year starts' })),
        }),
        response: { 200: Data(Type.Record(Type.String(), StatisticsOfMonth)) },
      },
    },
    async (request) => ({ data: await getMonthlyStatistics(app, request.params.service_id, request.query.year) }),
  );
}
