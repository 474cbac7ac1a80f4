import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

interface ServiceWithOrganisation {
  service_id: string;
  service_name: string;
  organisation_id: string;
  organisation_name: string;
}

interface ServiceToBill extends ServiceWithOrganisation {
  purchase_order_number: string | null;
  contact_names: string | null;
  contact_email_addresses: string | null;
  billing_reference: string | null;
}

const serviceColumns = sql`s.id as service_id, s.name as service_name, coalesce(o.id::text, '') as organisation_id,
  coalesce(o.name, '') as organisation_name`;
/** Sorts by organisation, with services without one last. Collation "C" gives the same order everywhere. */
const defaultOrder = sql`order by o.name collate "C" nulls last, s.name collate "C", s.id`;

/** Selects services with their billing fields. Empty fields default to those of the organisation. */
export async function selectServicesToBill(db: Db, serviceIds: string[]): Promise<ServiceToBill[]> {
  const { rows } = await sql<ServiceToBill>`
    select ${serviceColumns},
      coalesce(s.purchase_order_number, o.purchase_order_number) as purchase_order_number,
      coalesce(s.billing_contact_names, o.billing_contact_names) as contact_names,
      coalesce(s.billing_contact_email_addresses, o.billing_contact_email_addresses) as contact_email_addresses,
      coalesce(s.billing_reference, o.billing_reference) as billing_reference
    from services s left join organisations o on o.id = s.organisation_id
    where s.id = any (${serviceIds}::uuid[])
    ${defaultOrder}`.execute(db);
  return rows;
}

/** Includes the newest allowance up to the given financial year, if any. */
export async function selectLiveServices(
  db: Db,
  year: number,
): Promise<(ServiceWithOrganisation & { free_allowance: number | null })[]> {
  const { rows } = await sql<ServiceWithOrganisation & { free_allowance: number | null }>`
    select ${serviceColumns}, newest.free_sms_fragment_limit as free_allowance
    from services s
    left join organisations o on o.id = s.organisation_id
    left join (
      select distinct on (service_id) service_id, free_sms_fragment_limit from annual_allowances
      where financial_year_start <= ${year}
      order by service_id, financial_year_start desc
    ) as newest on newest.service_id = s.id
    where s.active and not s.restricted and s.count_as_live
    ${defaultOrder}`.execute(db);
  return rows;
}
