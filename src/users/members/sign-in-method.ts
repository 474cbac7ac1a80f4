import { timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isOperator, type UserRecord } from '../user-record.ts';
import { updateUserRow } from '../users.sql.ts';

type Person = Pick<UserRecord, 'id' | 'platform_admin' | 'read_only_operator' | 'auth_type' | 'mobile_number'>;

/** A service may choose between a text code and an email link for a person, but never for operators or instead of a key. */
export function canChooseSignInMethod(person: Omit<Person, 'id' | 'mobile_number'>): boolean {
  return !isOperator(person) && person.auth_type !== 'webauthn_auth';
}

/** Changes nothing for operators, those with a security key, and where a number for text codes is missing. */
export async function setSignInMethod(
  tx: Tx,
  person: Person,
  auth_type: UserRecord['auth_type'],
  now: Date,
): Promise<void> {
  if (!canChooseSignInMethod(person) || person.auth_type === auth_type) return;
  const isPossible = auth_type === 'email_auth' || (auth_type === 'sms_auth' && person.mobile_number);
  if (isPossible) await updateUserRow(tx, person.id, { auth_type, updated_at: timestamp(now) });
}
