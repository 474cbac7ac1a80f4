import { Type } from 'typebox';
import { postages } from '../notifications/notification.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Nullable, OfService, OneOf } from '../protocol/fields.ts';
import { parseFinancialYear, YearQuery } from './financial-year.ts';
import { listMonthlyUsage, listYearlyUsage } from './usage.ts';

const Usage = {
  chargeable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier, or letters' }),
  notifications_sent: Type.Integer(),
  cost: Type.Number({ description: 'GBP' }),
  free_allowance_used: Type.Integer(),
  charged_units: Type.Integer(),
};

export function usageRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/billing/monthly-usage',
    {
      schema: {
        summary: 'Usage of text messages and letters in a financial year, by month, rate and postage',
        params: OfService,
        querystring: YearQuery,
        response: {
          200: Type.Array(
            Type.Object({
              month: Type.String(),
              notification_type: OneOf(['letter', 'sms']),
              rate: Type.Number({ description: 'GBP per unit' }),
              postage: Nullable(OneOf(postages)),
              ...Usage,
            }),
          ),
        },
      },
    },
    async (request) => listMonthlyUsage(app, request.params.service_id, parseFinancialYear(request.query.year)),
  );

  http.get(
    '/service/:service_id/billing/yearly-usage-summary',
    {
      schema: {
        summary: 'Usage in a financial year, by notification type',
        params: OfService,
        querystring: YearQuery,
        response: {
          200: Type.Array(
            Type.Object({
              notification_type: OneOf(['email', 'letter', 'sms']),
              rate: Type.Number({ description: 'Average GBP per unit' }),
              ...Usage,
            }),
          ),
        },
      },
    },
    async (request) => listYearlyUsage(app, request.params.service_id, parseFinancialYear(request.query.year)),
  );
}
