import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { forApi, t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type ConstraintMeanings, withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalid, invalidField } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';
import { platformServiceId, platformUserId } from './platform-user.ts';

const meanings: ConstraintMeanings = {
  users_pkey: () => invalidField('id', 'Id already in use'),
  users_email_address_key: () =>
    invalidField(
      'email_address',
      forApi('Email address already in use', t('Enter another email address. This one already has an account.')),
    ),
  users_mobile_number_required: () =>
    invalid(
      forApi(
        'Mobile number must be set if auth_type is set to sms_auth',
        t('Add a mobile number first, for the text codes.'),
      ),
    ),
};

export async function insertUser(tx: Tx, row: Insertable<DB['users']>): Promise<void> {
  await withConstraints(meanings, () => tx.insertInto('users').values(row).execute());
}

export async function updateUserRow(tx: Tx, userId: string, change: Updateable<DB['users']>): Promise<void> {
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
        'language',
      ])
      .where('id', '=', userId)
      // Without the key, so that rows that reference the user can still be written.
      .forNoKeyUpdate()
      .executeTakeFirst()
  );
}

export function selectUser(db: Db | Tx, userId: string) {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email_address', 'language'])
    .where('id', '=', userId)
    .executeTakeFirst();
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

/** Columns that API responses never contain. */
type PrivateColumn =
  | 'password_hash'
  | 'updated_at'
  | 'failed_password_count'
  | 'failed_code_count'
  | 'passwords_refused_until'
  | 'locked_at'
  | 'created_for_tests';

export interface UserRow
  extends Omit<Selectable<DB['users']>, PrivateColumn | 'read_only_operator' | 'time_zone' | 'language'> {
  /** Present only if true, because other front ends expect the twenty fields of the protocol. */
  read_only_operator?: boolean;
  /** Present only if the person has chosen one. */
  time_zone?: string;
  language?: string;
  can_use_webauthn: boolean;
  organisations: string[];
  services: string[];
  permissions: Record<string, string[]>;
  organisation_permissions: Record<string, string[]>;
}

export async function selectUserRecords(db: Db | Tx, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('users')
    .where('id', '=', anyOf(ids))
    .select([
      'id',
      'name',
      'email_address',
      'mobile_number',
      'auth_type',
      'state',
      'platform_admin',
      'read_only_operator',
      'time_zone',
      'language',
      'failed_login_count',
      'current_session_id',
      'logged_in_at',
      'email_access_validated_at',
      'password_changed_at',
      'created_at',
      'take_part_in_research',
      'receives_new_features_email',
      canUseWebauthn.as('can_use_webauthn'),
      organisations.as('organisations'),
      services.as('services'),
      permissions.as('permissions'),
      organisationPermissions.as('organisation_permissions'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ read_only_operator, time_zone, language, ...user }) => ({
    ...user,
    ...(read_only_operator && { read_only_operator }),
    ...(time_zone !== null && { time_zone }),
    ...(language !== null && { language }),
  }));
}

const canUseWebauthn = sql<boolean>`users.platform_admin or users.auth_type = 'webauthn_auth' or exists (
  select from service_members where user_id = users.id and service_id = ${platformServiceId})`;

const organisations = sql<string[]>`array(
  select organisation.id from organisation_members member join organisations organisation
    on organisation.id = member.organisation_id
  where member.user_id = users.id and organisation.active order by organisation.id)`;

const services = sql<string[]>`array(
  select service.id from service_members member join services service on service.id = member.service_id
  where member.user_id = users.id and service.active order by service.id)`;

const permissions = sql<Record<string, string[]>>`(
  select coalesce(jsonb_object_agg(service.id, to_jsonb(member.permissions)), '{}')
  from service_members member join services service on service.id = member.service_id
  where member.user_id = users.id and service.active)`;

// Includes permissions in organisations that the user is not a member of.
const organisationPermissions = sql<Record<string, string[]>>`(
  select coalesce(jsonb_object_agg(organisation.id, array(
      select permission from organisation_permissions
      where user_id = users.id and organisation_id = organisation.id and organisation.active order by permission)), '{}')
  from organisations organisation
  where organisation.id in (
    select organisation_id from organisation_members where user_id = users.id
    union select organisation_id from organisation_permissions where user_id = users.id))`;

interface UserFilters {
  created_from?: Timestamp;
  created_before?: Timestamp;
  logged_in_from?: Timestamp;
  logged_in_before?: Timestamp;
  take_part_in_research?: boolean;
}

export async function selectActiveUserIds(db: Db, filters: UserFilters): Promise<string[]> {
  let query = db.selectFrom('users').select('id').where('state', '=', 'active').where('id', '!=', platformUserId);
  if (filters.created_from) query = query.where('created_at', '>=', filters.created_from);
  if (filters.created_before) query = query.where('created_at', '<', filters.created_before);
  if (filters.logged_in_from) query = query.where('logged_in_at', '>=', filters.logged_in_from);
  if (filters.logged_in_before) query = query.where('logged_in_at', '<', filters.logged_in_before);
  if (filters.take_part_in_research !== undefined) {
    query = query.where('take_part_in_research', '=', filters.take_part_in_research);
  }
  return (await query.execute()).map(({ id }) => id);
}

export async function selectActiveServiceNames(db: Db): Promise<Map<string, string>> {
  const services = await db.selectFrom('services').select(['id', 'name']).where('active', '=', true).execute();
  return new Map(services.map(({ id, name }) => [id, name]));
}

/** After ten failures of any kind, the API rejects codes. */
export const maxFailures = 10;

export type PeopleGroup = 'operators' | 'locked' | 'pending' | 'archived';

const isLocked = sql<boolean>`(state = 'active' and failed_login_count >= ${maxFailures})`;
const groups = {
  operators: sql<boolean>`state = 'active' and (platform_admin or read_only_operator)`,
  locked: isLocked,
  pending: sql<boolean>`state = 'pending'`,
  archived: sql<boolean>`state = 'inactive'`,
};

export interface PeopleQuery {
  /** Part of the name or address, or a whole id. */
  text: string;
  group: PeopleGroup | undefined;
  skip: number;
  limit: number;
}

export async function countLocked(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .where(isLocked)
    .select((one) => one.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Sorted by name. Omits the platform's own user, and archived users unless `group` asks for them. */
export async function selectPeople(db: Db, { text, group, skip, limit }: PeopleQuery) {
  let found = db
    .selectFrom('users')
    .where('id', '<>', platformUserId)
    .where(group === undefined ? sql<boolean>`state <> 'inactive'` : groups[group]);
  if (isUuid(text)) found = found.where('id', '=', text);
  else if (text !== '') {
    found = found.where((row) =>
      row.or([row('name', 'ilike', likeContains(text)), row('email_address', 'ilike', likeContains(text))]),
    );
  }
  const [people, { total }] = await Promise.all([
    found
      .select([
        'id',
        'name',
        'email_address',
        'state',
        'platform_admin',
        'read_only_operator',
        'logged_in_at',
        isLocked.as('locked'),
      ])
      .orderBy(sql`lower(name)`)
      .orderBy('id')
      .limit(limit)
      .offset(skip)
      .execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { people, total };
}

/** Omits archived administrators, who cannot sign in. */
export function selectPlatformAdmins(db: Db | Tx) {
  return db
    .selectFrom('users')
    .select(['email_address', 'password_hash'])
    .where('platform_admin', '=', true)
    .where('state', '<>', 'inactive')
    .orderBy('created_at')
    .execute();
}

/** Omits the platform's own user, who never signs in. */
function activeAdmins(tx: Tx) {
  return tx
    .selectFrom('users')
    .where('platform_admin', '=', true)
    .where('state', '=', 'active')
    .where('id', '<>', platformUserId)
    .orderBy('id');
}

/** Selects the active administrators and locks them until the transaction ends. */
export function lockPlatformAdmins(tx: Tx) {
  return activeAdmins(tx).select('id').forNoKeyUpdate().execute();
}

export function selectActiveAdmins(tx: Tx) {
  return activeAdmins(tx).select(['id', 'name', 'email_address']).execute();
}

export async function deleteEventsBefore(db: Db, before: Timestamp, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id in (
      select id from events where created_at < ${before} order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export function insertEvent(
  db: Db,
  row: { id: string; event_type: string; data: Record<string, unknown>; created_at: Timestamp },
) {
  return db
    .insertInto('events')
    .values({ ...row, data: JSON.stringify(row.data) })
    .returning(['id', 'event_type', 'data', 'created_at'])
    .executeTakeFirstOrThrow();
}
