import { Type } from 'typebox';
import { fromStandby } from '../platform/db/servers/standby.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Datetime, Uuid } from '../protocol/fields.ts';
import { parseFinancialYear, YearQuery } from './financial-year.ts';
import { getOrganisationUsage } from './organisation-usage.ts';

const ServiceUsage = Type.Object({
  service_id: Uuid,
  service_name: Type.String(),
  free_sms_limit: Type.Integer(),
  sms_remainder: Type.Integer({ description: 'Remaining free fragments' }),
  sms_billable_units: Type.Integer({ description: 'Fragments times the destination’s rate multiplier' }),
  chargeable_billable_sms: Type.Integer({ description: 'Fragments beyond the free allowance' }),
  sms_cost: Type.Number({ description: 'GBP' }),
  letter_cost: Type.Number({ description: 'GBP' }),
  emails_sent: Type.Integer(),
  active: Type.Boolean(),
});

export function organisationUsageRoutes(http: Http, app: Platform): void {
  http.get(
    '/organisations/:organisation_id/services-with-usage',
    {
      schema: {
        summary: 'Usage of an organisation’s live services in a financial year',
        params: Type.Object({ organisation_id: Uuid }),
        querystring: YearQuery,
        response: { 200: Type.Object({ services: Type.Array(ServiceUsage), updated_at: Datetime }) },
      },
    },
    async ({ params, query }) => {
      const year = parseFinancialYear(query.year);
      return fromStandby(app, 'page', (reader) => getOrganisationUsage(reader, params.organisation_id, year));
    },
  );
}
