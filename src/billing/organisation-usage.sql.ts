import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** Live services, archived ones included: active first, then by name. Collation "C" gives the same order everywhere. */
export function selectLiveServicesOf(db: Db, organisationId: string, year: number) {
  return db
    .selectFrom('services')
    .leftJoin('annual_allowances', (join) =>
      join
        .onRef('annual_allowances.service_id', '=', 'services.id')
        .on('annual_allowances.financial_year_start', '=', year),
    )
    .select(['services.id', 'services.name', 'services.active', 'annual_allowances.free_sms_fragment_limit'])
    .where('services.organisation_id', '=', organisationId)
    .where('services.restricted', '=', false)
    .orderBy('services.active', 'desc')
    .orderBy(sql`services.name collate "C"`)
    .execute();
}
