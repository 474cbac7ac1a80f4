import { type Insertable, sql, type Updateable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';

/** Includes every domain that had the name: a record that is still published for a former domain must not match a new key. */
export async function selectSelectors(tx: Tx, name: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sending_domain_keys')
    .innerJoin('sending_domains', 'sending_domains.id', 'sending_domain_keys.domain_id')
    .select('selector')
    .where('sending_domains.name', '=', name)
    .execute();
  return rows.map(({ selector }) => selector);
}

export async function insertKey(tx: Tx, row: Insertable<DB['sending_domain_keys']>): Promise<void> {
  await tx.insertInto('sending_domain_keys').values(row).execute();
}

export async function updateKey(tx: Tx, id: string, change: Updateable<DB['sending_domain_keys']>): Promise<void> {
  await tx.updateTable('sending_domain_keys').set(change).where('id', '=', id).execute();
}

export async function retireKeys(tx: Tx, domain_id: string, retire_at: Timestamp): Promise<void> {
  await tx
    .updateTable('sending_domain_keys')
    .set({ state: 'retiring', retire_at })
    .where('domain_id', '=', domain_id)
    .where('state', '<>', 'deleted')
    .execute();
}

/** Erases the private keys whose retirement time has passed. */
export async function eraseRetiredKeys(db: Db, now: Timestamp): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sending_domain_keys')
    .set({ state: 'deleted', encrypted_private_key: null })
    .where('state', '=', 'retiring')
    .where('retire_at', '<=', now)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function selectPrivateKeys(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select id, id::text as place, encrypted_private_key as text from sending_domain_keys
    where id > ${after} and encrypted_private_key is not null order by id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replacePrivateKeys(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update sending_domain_keys k set encrypted_private_key = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where k.id = v.id and k.encrypted_private_key = v.before`.execute(db);
}
