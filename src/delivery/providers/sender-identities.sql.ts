import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';

export async function selectSenderIdentity(db: Db, serviceId: string) {
  return (await selectSenderIdentities(db, [serviceId]))[0];
}

/** Name, addresses and branding of services, and whether they are active. */
export function selectSenderIdentities(db: Db, serviceIds: string[]) {
  return db
    .selectFrom('services')
    .leftJoin('email_branding', 'email_branding.id', 'services.email_branding_id')
    .select([
      'services.id',
      'services.name',
      'services.active',
      'services.prefix_sms',
      'services.api_dialect',
      'services.custom_email_sender_name',
      'services.email_sender_local_part',
      'email_branding.brand_type',
      'email_branding.colour',
      'email_branding.logo',
      'email_branding.text',
      'email_branding.alt_text',
    ])
    .$narrowType<{ api_dialect: ApiDialect }>()
    .where('services.id', '=', sql<string>`any (${serviceIds}::uuid[])`)
    .execute();
}
