import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { idInUse } from '../auth/imported.ts';
import { forApi, t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';

const callbacks = sql<{ callback_id: string; callback_type: string }[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('callback_id', id, 'callback_type', callback_type) order by callback_type), '[]')
  from service_callback_api where service_id = services.id)`;

const columns = [
  'id',
  'name',
  'active',
  'restricted',
  'created_by_id as created_by',
  'organisation_id as organisation',
  'organisation_type',
  'permissions',
  'email_branding_id as email_branding',
  'letter_branding_id as letter_branding',
  'email_message_limit',
  'sms_message_limit',
  'letter_message_limit',
  'international_sms_message_limit',
  'email_annual_limit',
  'sms_annual_limit',
  'letter_annual_limit',
  'sms_limit_unit',
  'sms_limit_unit_from',
  'rate_limit',
  'api_dialect',
  'smtp_files',
  'prefix_sms',
  'contact_link',
  'custom_email_sender_name',
  'email_sender_local_part',
  'confirmed_email_sender_name',
  'confirmed_unique',
  'has_active_go_live_request',
  'count_as_live',
  'go_live_user_id as go_live_user',
  'go_live_at',
  'volume_sms',
  'volume_email',
  'volume_letter',
  'consent_to_research',
  'notes',
  'billing_contact_names',
  'billing_contact_email_addresses',
  'purchase_order_number',
  'billing_reference',
  'created_at',
  'updated_at',
  'version',
  callbacks.as('service_callback_api'),
] as const;

export function selectServices(db: Db, which: { user_id?: string; only_active?: boolean; ids?: string[] }) {
  let query = db.selectFrom('services').select(columns);
  if (which.user_id !== undefined) {
    const { user_id } = which;
    query = query.where('id', 'in', (member) =>
      member.selectFrom('service_members').select('service_id').where('user_id', '=', user_id),
    );
  }
  if (which.only_active) query = query.where('active', '=', true);
  if (which.ids !== undefined) query = query.where('id', '=', anyOf(which.ids));
  return query.orderBy('created_at').orderBy('id').execute();
}

export function selectService(db: Db, id: string) {
  return db.selectFrom('services').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Locks the row until the transaction ends, but does not block writes of rows that reference the service. */
export function lockService(tx: Tx, id: string): Promise<Selectable<DB['services']> | undefined> {
  return tx.selectFrom('services').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export function selectSendingDomain(tx: Tx, id: string) {
  return tx
    .selectFrom('sending_domains')
    .select(['scope', 'state', 'service_id', 'organisation_id'])
    .where('id', '=', id)
    .executeTakeFirst();
}

export function selectServicesByName(db: Db, text: string) {
  return db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .select([
      'services.id',
      'services.name',
      'services.active',
      'services.restricted',
      'organisations.name as organisation_name',
    ])
    .where('services.name', 'ilike', likeContains(text))
    .orderBy('services.name')
    .execute();
}

function meanings(name: string) {
  const duplicate = () =>
    invalidField(
      'name',
      forApi(
        `Duplicate service name '${name}'`,
        t('Enter another name. A service is already called “{name}”.', { name }),
      ),
    );
  const unknown = (field: string) => () => invalidField(field, 'No result found');
  return {
    services_pkey: idInUse,
    services_name_key: duplicate,
    services_normalised_name_key: duplicate,
    services_created_by_id_fkey: unknown('created_by'),
    services_organisation_id_fkey: unknown('organisation'),
    services_go_live_user_id_fkey: unknown('go_live_user'),
    services_email_branding_id_fkey: unknown('email_branding'),
    services_letter_branding_id_fkey: unknown('letter_branding'),
  };
}

export async function insertService(tx: Tx, row: Insertable<DB['services']>): Promise<void> {
  await withConstraints(meanings(row.name), () => tx.insertInto('services').values(row).execute());
  await recordVersions(tx, [row.id]);
}

/** Creates the next version of each service. */
export async function updateServices(
  tx: Tx,
  ids: string[],
  change: Omit<Updateable<DB['services']>, 'version' | 'updated_at'>,
  now: Timestamp,
): Promise<void> {
  if (ids.length === 0) return;
  await withConstraints(meanings(String(change.name)), () =>
    tx
      .updateTable('services')
      .set((service) => ({ ...change, version: service('version', '+', 1), updated_at: now }))
      .where('id', '=', anyOf(ids))
      .execute(),
  );
  await recordVersions(tx, ids);
}

const historyColumns = [
  'id',
  'version',
  'name',
  'active',
  'restricted',
  'email_message_limit',
  'sms_message_limit',
  'letter_message_limit',
  'custom_email_sender_name',
  'email_sender_local_part',
  'permissions',
  'created_by_id',
  'created_at',
  'updated_at',
] as const;

async function recordVersions(tx: Tx, ids: string[]): Promise<void> {
  await tx
    .insertInto('services_history')
    .columns(historyColumns)
    .expression(tx.selectFrom('services').select(historyColumns).where('id', '=', anyOf(ids)))
    .execute();
}

/** The organisation of services with the type `nhs_notify`, if it exists. */
export const nhsNotifyOrganisationId = '477f8870-af2b-4b81-9a2c-1fad12028919';

export async function selectOrganisationId(tx: Tx, id: string): Promise<string | undefined> {
  return (await tx.selectFrom('organisations').select('id').where('id', '=', id).executeTakeFirst())?.id;
}

/** The brands named `NHS`, if they exist. */
export function selectNhsBrands(tx: Tx) {
  return tx
    .selectNoFrom((one) => [
      one
        .selectFrom('email_branding')
        .select('id')
        .where('name', '=', 'NHS')
        .where('active', '=', true)
        .as('email_branding_id'),
      one.selectFrom('letter_branding').select('id').where('name', '=', 'NHS').as('letter_branding_id'),
    ])
    .executeTakeFirstOrThrow();
}

/** `asking`: in trial mode, with an open request to go live. `suspended`: may send through no channel. */
export type ServiceState = 'live' | 'trial' | 'asking' | 'suspended' | 'archived';

const suspended = sql<boolean>`(services.active and not services.permissions && array['email', 'sms', 'letter'])`;

const conditions = {
  live: sql<boolean>`services.active and not services.restricted`,
  trial: sql<boolean>`services.active and services.restricted`,
  asking: sql<boolean>`services.active and services.restricted and services.has_active_go_live_request`,
  suspended,
  archived: sql<boolean>`not services.active`,
};

export interface ServiceQuery {
  /** Part of the name, or a whole id. */
  text: string;
  state: ServiceState | undefined;
  skip: number;
  limit: number;
}

/** Sorted by name, archived services last. */
export async function selectServicesBySearch(db: Db, { text, state, skip, limit }: ServiceQuery) {
  let found = db.selectFrom('services').leftJoin('organisations', 'organisations.id', 'services.organisation_id');
  if (isUuid(text)) found = found.where('services.id', '=', text);
  else if (text !== '') found = found.where('services.name', 'ilike', likeContains(text));
  if (state !== undefined) found = found.where(conditions[state]);
  const [services, { total }] = await Promise.all([
    found
      .select([
        'services.id',
        'services.name',
        'services.active',
        'services.restricted',
        'services.has_active_go_live_request',
        'services.created_at',
        'organisations.name as organisation_name',
        suspended.as('suspended'),
      ])
      .orderBy('services.active', 'desc')
      .orderBy(sql`lower(services.name)`)
      .orderBy('services.id')
      .limit(limit)
      .offset(skip)
      .execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { services, total };
}

/** Sorted by waiting time, longest first. */
export function selectGoLiveRequests(db: Db, limit: number) {
  return db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .leftJoin('users', 'users.id', 'services.go_live_user_id')
    .where(conditions.asking)
    .select([
      'services.id',
      'services.name',
      'services.updated_at',
      'services.volume_email',
      'services.volume_sms',
      'services.volume_letter',
      'organisations.name as organisation_name',
      'users.name as asked_by_name',
      'users.email_address as asked_by_email_address',
    ])
    .orderBy('services.updated_at')
    .orderBy('services.id')
    .limit(limit)
    .execute();
}

/** Selects every version, oldest first. */
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

/** Active services first, then by name. */
export function selectServicesOfOrganisation(db: Db, organisationId: string) {
  return db
    .selectFrom('services')
    .select(['id', 'name', 'active', 'restricted', 'has_active_go_live_request'])
    .where('organisation_id', '=', organisationId)
    .orderBy('active', 'desc')
    .orderBy('name')
    .execute();
}

/** Locks the rows until the transaction ends, in a fixed order to prevent deadlocks. */
export function lockServicesOfOrganisation(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('services')
    .select(['id', 'email_branding_id', 'letter_branding_id'])
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
