import type { Db } from '../../platform/db/database.ts';

/** Every version, oldest first. */
export function selectServiceHistory(db: Db, serviceId: string) {
  return db
    .selectFrom('services_history')
    .select([
      'id',
      'name',
      'version',
      'created_at',
      'updated_at',
      'active',
      'restricted',
      'email_message_limit',
      'sms_message_limit',
      'letter_message_limit',
      'custom_email_sender_name',
      'email_sender_local_part',
      'created_by_id',
    ])
    .where('id', '=', serviceId)
    .orderBy('version')
    .execute();
}

export function selectApiKeyHistory(db: Db, serviceId: string) {
  return db
    .selectFrom('api_keys_history')
    .select([
      'id',
      'name',
      'service_id',
      'version',
      'created_at',
      'updated_at',
      'expiry_date',
      'expiry_date as revoked_at',
      'created_by_id',
    ])
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .orderBy('version')
    .execute();
}

export function selectTemplateHistory(db: Db, serviceId: string) {
  return db
    .selectFrom('templates_history')
    .select(['id', 'name', 'version', 'created_at', 'updated_at', 'created_by_id'])
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .orderBy('version')
    .execute();
}
