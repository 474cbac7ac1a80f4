import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';

export async function selectSenderIdentity(db: Db, serviceId: string) {
  return (await selectSenderIdentities(db, [serviceId]))[0];
}

/** Selects the name, addresses, domains and branding of services, and whether they are active. */
export function selectSenderIdentities(db: Db, serviceIds: string[]) {
  return db
    .selectFrom('services')
    .leftJoin('email_branding', 'email_branding.id', 'services.email_branding_id')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .select([
      'services.id',
      'services.name',
      'services.active',
      'services.prefix_sms',
      'services.api_dialect',
      'services.custom_email_sender_name',
      'services.email_sender_local_part',
      'services.sending_domain_id',
      'organisations.sending_domain_id as organisation_domain_id',
      'email_branding.brand_type',
      'email_branding.colour',
      'email_branding.logo',
      'email_branding.text',
      'email_branding.alt_text',
    ])
    .select(
      sql<boolean>`exists (select from sms_opt_outs stopped where stopped.service_id = services.id)`.as('has_opt_outs'),
    )
    .$narrowType<{ api_dialect: ApiDialect }>()
    .where('services.id', '=', sql<string>`any (${serviceIds}::uuid[])`)
    .execute();
}
