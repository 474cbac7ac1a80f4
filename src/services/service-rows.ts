import type { Updateable } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import { selectUnknownIds } from '../platform/db/exists.ts';
import type { Services } from '../platform/db/schema.ts';
import { invalid } from '../platform/failure.ts';
import type { SettableFields } from './service-fields.ts';
import { refuseRepeatedPermissions } from './service-permissions.ts';

/** The API names references without the `_id` suffix of their columns. */
export function columnsOf(fields: SettableFields): Updateable<Services> {
  const { created_by, organisation, go_live_user, email_branding, letter_branding, ...same } = fields;
  return {
    ...same,
    created_by_id: created_by,
    organisation_id: organisation,
    go_live_user_id: go_live_user,
    email_branding_id: email_branding === '' ? null : email_branding,
    letter_branding_id: letter_branding === '' ? null : letter_branding,
  };
}

/** The table that each id field of a service references. */
const references = [
  ['created_by', 'users'],
  ['go_live_user', 'users'],
  ['organisation', 'organisations'],
  ['email_branding', 'email_branding'],
  ['letter_branding', 'letter_branding'],
] as const;

/** Checks that a schema cannot express: duplicate permissions and unknown ids, all reported together. */
export async function validateReferences(tx: Tx, fields: SettableFields): Promise<void> {
  if (fields.permissions) refuseRepeatedPermissions(fields.permissions);
  const given = references.flatMap(([field, table]) => {
    const id = fields[field];
    return id ? [{ field, table, id }] : [];
  });
  const unknown = await selectUnknownIds(tx, given);
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((field) => [field, ['No result found']])));
}
