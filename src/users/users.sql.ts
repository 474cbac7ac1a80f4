import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { type ConstraintMeanings, withConstraints } from '../platform/db/errors.ts';
import type { Users } from '../platform/db/schema.ts';
import { invalid, invalidField } from '../platform/failure.ts';

const meanings: ConstraintMeanings = {
  users_pkey: () => invalidField('id', 'Id already in use'),
  users_email_address_key: () => invalidField('email_address', 'Email address already in use'),
  users_mobile_number_required: () => invalid('Mobile number must be set if auth_type is set to sms_auth'),
};

export async function insertUser(tx: Tx, row: Insertable<Users>): Promise<void> {
  await withConstraints(meanings, () => tx.insertInto('users').values(row).execute());
}

export async function updateUserRow(tx: Tx, userId: string, change: Updateable<Users>): Promise<void> {
  await withConstraints(meanings, () => tx.updateTable('users').set(change).where('id', '=', userId).execute());
}

export function selectUserForUpdate(tx: Tx, userId: string) {
  return (
    tx
      .selectFrom('users')
      .select([
        'id',
        'name',
        'email_address',
        'mobile_number',
        'failed_login_count',
        'failed_password_count',
        'failed_code_count',
        'passwords_refused_until',
        'platform_admin',
      ])
      .where('id', '=', userId)
      // Without the key, so that rows that reference the user can still be written.
      .forNoKeyUpdate()
      .executeTakeFirst()
  );
}

export function selectUser(db: Db | Tx, userId: string) {
  return db.selectFrom('users').select(['id', 'name', 'email_address']).where('id', '=', userId).executeTakeFirst();
}

export function selectUserByEmail(db: Db, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email_address', 'password_changed_at', 'platform_admin', 'created_for_tests'])
    .where(sql<boolean>`lower(email_address) = lower(${email})`)
    .executeTakeFirst();
}

/** Ignores case and matches wildcard characters literally. */
export function selectUsersByPartOfEmail(db: Db, part: string) {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email_address', 'mobile_number'])
    .where(sql<boolean>`position(lower(${part}) in lower(email_address)) > 0`)
    .orderBy('email_address')
    .execute();
}

/** Returns false when the user is already active. */
export async function activateUserRow(db: Db, userId: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ state: 'active', updated_at: now })
    .where('id', '=', userId)
    .where('state', '<>', 'active')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export function selectOrganisationsOfUser(db: Db, userId: string) {
  return db
    .selectFrom('organisation_members as member')
    .innerJoin('organisations as organisation', 'organisation.id', 'member.organisation_id')
    .where('member.user_id', '=', userId)
    .where('organisation.active', '=', true)
    .select((organisation) => [
      'organisation.id',
      'organisation.name',
      organisation
        .selectFrom('services')
        .whereRef('services.organisation_id', '=', 'organisation.id')
        .where('services.active', '=', true)
        .where('services.restricted', '=', false)
        .select((service) => service.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('count_of_live_services'),
    ])
    .orderBy('organisation.name')
    .execute();
}

export function selectServicesOfUser(db: Db, userId: string) {
  return db
    .selectFrom('service_members as member')
    .innerJoin('services as service', 'service.id', 'member.service_id')
    .where('member.user_id', '=', userId)
    .where('service.active', '=', true)
    .select(['service.id', 'service.name', 'service.restricted', 'service.organisation_id as organisation'])
    .orderBy('service.name')
    .execute();
}
