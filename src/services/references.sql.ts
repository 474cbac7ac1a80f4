import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** The table that each id field of a service references. */
const tables = {
  created_by: 'users',
  go_live_user: 'users',
  organisation: 'organisations',
  email_branding: 'email_branding',
  letter_branding: 'letter_branding',
} as const;

type ReferenceField = keyof typeof tables;
const referenceFields = Object.keys(tables) as ReferenceField[];

/** Returns the fields whose id does not exist. */
export async function selectUnknownReferences(
  tx: Tx,
  references: { [field in ReferenceField]?: string | null },
): Promise<ReferenceField[]> {
  const given = referenceFields.flatMap((field) => {
    const id = references[field];
    return id ? [{ field, id }] : [];
  });
  if (given.length === 0) return [];
  const checks = given.map(
    ({ field, id }) =>
      sql`select ${field}::text as field where not exists (select from ${sql.table(tables[field])} where id = ${id})`,
  );
  const { rows } = await sql<{ field: ReferenceField }>`${sql.join(checks, sql` union all `)}`.execute(tx);
  return rows.map(({ field }) => field);
}
