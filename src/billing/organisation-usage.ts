import { timestamp } from '../platform/clock.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import type { Platform } from '../platform/platform.ts';
import { listImpliedAllowances } from './allowance.ts';
import { selectLiveServicesOf } from './organisation-usage.sql.ts';
import { listOrganisationCosts } from './usage.ts';

/** Usage of each live service of an organisation in a financial year, up to now. */
export async function getOrganisationUsage(app: Platform, organisationId: string, year: number) {
  await refuseUnlessExists(app.db, 'organisations', organisationId);
  const now = app.clock.now();
  const implied = await listImpliedAllowances(app.db, year, now);
  const [services, costs] = await Promise.all([
    selectLiveServicesOf(app.db, organisationId, year),
    listOrganisationCosts(app.db, organisationId, year, implied),
  ]);
  const costsOf = new Map(costs.map((cost) => [cost.service_id, cost]));
  const impliedOf = new Map(implied.map((allowance) => [allowance.service_id, allowance.free_sms_fragment_limit]));
  return {
    services: services.map(({ id, name, active, free_sms_fragment_limit }) => {
      const cost = costsOf.get(id);
      const limit = free_sms_fragment_limit ?? impliedOf.get(id) ?? 0;
      const used = cost?.sms_chargeable_units ?? 0;
      return {
        service_id: id,
        service_name: name,
        free_sms_limit: limit,
        sms_remainder: Math.max(limit - used, 0),
        sms_billable_units: used,
        chargeable_billable_sms: cost?.sms_charged_units ?? 0,
        sms_cost: cost?.sms_cost ?? 0,
        letter_cost: cost?.letter_cost ?? 0,
        emails_sent: cost?.emails_sent ?? 0,
        active,
      };
    }),
    updated_at: timestamp(now),
  };
}
