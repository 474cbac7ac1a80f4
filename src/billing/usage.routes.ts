import { Type } from 'typebox';
import { fromStandby } from '../platform/db/servers/standby.ts';
import { invalid } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { AmountFields, Datetime, Nullable, OfService, OneOf, StoredPostage, Uuid } from '../protocol/fields.ts';
import { getOrganisationUsage, listMonthlyUsage, listYearlyUsage } from './usage.ts';

export function usageRoutes(http: Http, app: Platform): void {
  const { currency } = app.country.money;
  const Usage = {
    chargeable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier, or letters' }),
    notifications_sent: Type.Integer(),
    cost: Type.Number({ description: currency }),
    free_allowance_used: Type.Integer(),
    charged_units: Type.Integer(),
    ...AmountFields(app.country),
  };

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
              rate: Type.Number({ description: `${currency} per unit` }),
              postage: Nullable(StoredPostage(app.country)),
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
              rate: Type.Number({ description: `Average ${currency} per unit` }),
              ...Usage,
            }),
          ),
        },
      },
    },
    async (request) => listYearlyUsage(app, request.params.service_id, parseFinancialYear(request.query.year)),
  );
}

// Accepts any value, because parseFinancialYear validates it with the same error for every invalid year.
const YearQuery = Type.Object({
  year: Type.Optional(Type.Unsafe<unknown>({ description: 'Financial year (required): the year it starts in' })),
});

/** Parses a year of the query string. */
function parseFinancialYear(text: unknown): number {
  const year = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  // The calendar year in which it ends must have four digits too.
  if (year < 1 || year > 9998) throw invalid('No valid year provided');
  return year;
}

export function organisationUsageRoutes(http: Http, app: Platform): void {
  const { currency } = app.country.money;
  const ServiceUsage = Type.Object({
    service_id: Uuid,
    service_name: Type.String(),
    free_sms_limit: Type.Integer(),
    sms_remainder: Type.Integer({ description: 'Remaining free fragments' }),
    sms_billable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier' }),
    chargeable_billable_sms: Type.Integer({ description: 'Fragments beyond the free allowance' }),
    sms_cost: Type.Number({ description: currency }),
    letter_cost: Type.Number({ description: currency }),
    emails_sent: Type.Integer(),
    active: Type.Boolean(),
  });

  http.get(
    '/organisations/:organisation_id/services-with-usage',
    {
      schema: {
        summary: 'Usage of an organisation’s live services in a financial year',
        params: Type.Object({ organisation_id: Uuid }),
        querystring: YearQuery,
        response: {
          200: Type.Object({
            services: Type.Array(ServiceUsage),
            updated_at: Datetime,
            ...AmountFields(app.country),
          }),
        },
      },
    },
    async ({ params, query }) => {
      const year = parseFinancialYear(query.year);
      return fromStandby(app, 'page', (reader) => getOrganisationUsage(reader, params.organisation_id, year));
    },
  );
}
