import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';

/** A separate statement, because few messages have secret values. */
export async function updateSecretValues(tx: Tx, id: string, encrypted: string): Promise<void> {
  await tx.updateTable('notifications').set({ secret_personalisation: encrypted }).where('id', '=', id).execute();
}

export async function clearValues(db: Db, ids: string[]): Promise<void> {
  await sql`
    update notifications set personalisation = '{}', secret_personalisation = null
    where id = any (${ids}::uuid[])`.execute(db);
}

/** Messages with encrypted values are rare, so each batch scans more rows than usual. */
const rowsPerValue = 10;

export async function selectSecretValues(db: Db, after = nilId, limit: number) {
  const { rows } = await sql<EncryptedValue>`
    select id, id as place, secret_personalisation as text from notifications
    where id > ${after} order by id limit ${limit * rowsPerValue}`.execute(db);
  return { values: rows.filter(({ text }) => text !== null), last: rows.at(-1)?.id };
}

export async function replaceSecretValues(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update notifications n set secret_personalisation = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where n.id = v.id and n.id = any (${values.map(({ id }) => id)}::uuid[]) and n.secret_personalisation = v.before
  `.execute(db);
}
