import { Type } from 'typebox';
import { postages } from '../notifications/notification.ts';
import { Nullable, OneOf, Uuid } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { financialYearIn, listMonthlyUsage, listYearlyUsage } from './usage.ts';

const OfService = Type.Object({ service_id: Uuid });

// Whatever is given is a matter of the rule, which answers with one text for all of it.
export const YearQuery = Type.Object({
  year: Type.Optional(Type.Unsafe<unknown>({ description: 'Financial year (required): the year it starts in' })),
});

const Usage = {
  chargeable_units: Type.Integer({ description: 'Fragments times the destination’s factor; letters' }),
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
        summary: 'Text messages and letters of a financial year by month, rate and postage',
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
    async (request) => listMonthlyUsage(app, request.params.service_id, financialYearIn(request.query.year)),
  );

  http.get(
    '/service/:service_id/billing/yearly-usage-summary',
    {
      schema: {
        summary: 'A financial year by notification type',
        params: OfService,
        querystring: YearQuery,
        response: {
          200: Type.Array(
            Type.Object({
              notification_type: OneOf(['email', 'letter', 'sms']),
              rate: Type.Number({ description: 'GBP per unit, on average' }),
              ...Usage,
            }),
          ),
        },
      },
    },
    async (request) => listYearlyUsage(app, request.params.service_id, financialYearIn(request.query.year)),
  );
}
