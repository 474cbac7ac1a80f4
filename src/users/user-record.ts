import { Type } from 'typebox';
import type { Db, Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { selectUserRecords, type UserRow } from './users.sql.ts';

export type UserRecord = UserRow;

export const authTypes = ['sms_auth', 'email_auth', 'webauthn_auth'] as const;
export const userStates = ['pending', 'active', 'inactive'] as const;

/** A user in API responses. It never contains the password. */
export const UserRecord = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    email_address: Type.String(),
    mobile_number: Nullable(Type.String()),
    auth_type: OneOf(authTypes),
    state: OneOf(userStates),
    platform_admin: Type.Boolean(),
    read_only_operator: Type.Optional(
      Type.Boolean({
        description: 'May look at the pages of operators; a platform administrator may anyway. Only where it is true',
      }),
    ),
    time_zone: Type.Optional(
      Type.String({
        description:
          'The zone of the times that the person reads and chooses. Only where it is not that of the installation',
      }),
    ),
    language: Type.Optional(Type.String({ description: 'That the person reads. Only where they have chosen one' })),
    can_use_webauthn: Type.Boolean(),
    failed_login_count: Type.Integer(),
    current_session_id: Nullable(Uuid),
    logged_in_at: Nullable(Datetime),
    email_access_validated_at: Datetime,
    password_changed_at: Datetime,
    created_at: Datetime,
    take_part_in_research: Type.Boolean(),
    receives_new_features_email: Type.Boolean(),
    organisations: Type.Array(Uuid, { description: 'Active organisations the user belongs to' }),
    services: Type.Array(Uuid, { description: 'Active services the user belongs to' }),
    permissions: Type.Record(Type.String(), Type.Array(Type.String()), { description: 'By id of the active service' }),
    organisation_permissions: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'By id of the organisation; empty for inactive organisations',
    }),
  },
  { title: 'User' },
);

/** Operators of either kind see the data of every service, so no service may change how they sign in. */
export function isOperator(user: Pick<UserRecord, 'platform_admin' | 'read_only_operator'>): boolean {
  return user.platform_admin || user.read_only_operator === true;
}

/** Oldest first; omits unknown ids. */
export function listUserRecords(db: Db | Tx, ids: readonly string[]): Promise<UserRecord[]> {
  return selectUserRecords(db, ids);
}

export async function getUserRecord(db: Db | Tx, id: string): Promise<UserRecord> {
  const [user] = await selectUserRecords(db, [id]);
  if (!user) throw notFound();
  return user;
}
