import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { anyOf } from '../platform/db/expressions.ts';
import type { Users } from '../platform/db/schema.ts';
import { platformServiceId } from './account-messages/account-messages.ts';

/** Columns that API responses never contain. */
type Kept =
  | 'password_hash'
  | 'updated_at'
  | 'failed_password_count'
  | 'failed_code_count'
  | 'passwords_refused_until'
  | 'locked_at'
  | 'created_for_tests';

export interface UserRow extends Omit<Selectable<Users>, Kept | 'read_only_operator'> {
  /** Only where it is true: other front ends know users of twenty fields. */
  read_only_operator?: boolean;
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
  return rows.map(({ read_only_operator, ...user }) => ({
    ...user,
    ...(read_only_operator && { read_only_operator }),
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

// A user can have permissions without being a member; the record includes them.
const organisationPermissions = sql<Record<string, string[]>>`(
  select coalesce(jsonb_object_agg(organisation.id, array(
      select permission from organisation_permissions
      where user_id = users.id and organisation_id = organisation.id and organisation.active order by permission)), '{}')
  from organisations organisation
  where organisation.id in (
    select organisation_id from organisation_members where user_id = users.id
    union select organisation_id from organisation_permissions where user_id = users.id))`;
