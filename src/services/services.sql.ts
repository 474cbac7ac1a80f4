import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { Services } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';

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
  'rate_limit',
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

/** Locks the row until the transaction ends, but does not block writing rows that reference the service. */
export function lockService(tx: Tx, id: string): Promise<Selectable<Services> | undefined> {
  return tx.selectFrom('services').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
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
  const duplicate = () => invalidField('name', `Duplicate service name '${name}'`);
  const unknown = (field: string) => () => invalidField(field, 'No result found');
  return {
    services_name_key: duplicate,
    services_normalised_name_key: duplicate,
    services_created_by_id_fkey: unknown('created_by'),
    services_organisation_id_fkey: unknown('organisation'),
    services_go_live_user_id_fkey: unknown('go_live_user'),
    services_email_branding_id_fkey: unknown('email_branding'),
    services_letter_branding_id_fkey: unknown('letter_branding'),
  };
}

export async function insertService(tx: Tx, row: Insertable<Services>): Promise<void> {
  await withConstraints(meanings(row.name), () => tx.insertInto('services').values(row).execute());
  await recordVersions(tx, [row.id]);
}

/** Creates the next version of each service. */
export async function updateServices(
  tx: Tx,
  ids: string[],
  change: Omit<Updateable<Services>, 'version' | 'updated_at'>,
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
