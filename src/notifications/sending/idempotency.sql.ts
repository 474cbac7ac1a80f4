import { CompiledQuery, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';

export interface IdempotencyRow {
  service_id: string;
  key: string;
  request_digest: string;
  response: unknown;
  created_at: Timestamp;
}

export function selectIdempotencyKey(
  db: Db,
  serviceId: string,
  key: string,
  since: Timestamp,
): Promise<{ request_digest: string; response: unknown } | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_digest', 'response'])
    .where('service_id', '=', serviceId)
    .where('key', '=', key)
    .where('created_at', '>', since)
    .executeTakeFirst();
}

export function selectResponses(
  db: Db,
  serviceId: string,
  keys: string[],
  since: Timestamp,
): Promise<{ key: string; response: unknown }[]> {
  return db
    .selectFrom('idempotency_keys')
    .select(['key', 'response'])
    .where('service_id', '=', serviceId)
    .where('key', '=', anyOf(keys, 'text'))
    .where('created_at', '>', since)
    .execute();
}

/**
 * Limits how long this statement and the rest of its transaction wait for locks. Set in the statement, because a pooler would drop a
 * session setting.
 */
export const waitsUpTo = (timeout: string) => `waits as (
  select set_config('lock_timeout', ${timeout}, true)
)`;

/** Returns the keys that were free or expired. Waits for transactions that are claiming the same key. */
export const claimKeys = (keys: string, freeBefore: string) => `
  insert into idempotency_keys as k (service_id, key, request_digest, response, created_at)
  select r.* from json_to_recordset(${keys}::json)
    as r (service_id uuid, key text, request_digest text, response jsonb, created_at timestamptz)
  cross join waits
  order by service_id, key
  on conflict (service_id, key) do update
    set request_digest = excluded.request_digest, response = excluded.response, created_at = excluded.created_at
    where k.created_at <= ${freeBefore}::timestamptz
  returning k.service_id, k.key`;

const claimKeysAlone = `with ${waitsUpTo('$1')} ${claimKeys('$2', '$3')}`;

export interface KeysToClaim {
  rows: IdempotencyRow[];
  freeBefore: Timestamp;
  lockTimeout_ms: number;
}

export async function claimIdempotencyKeys(
  tx: Tx,
  { rows, freeBefore, lockTimeout_ms }: KeysToClaim,
): Promise<{ service_id: string; key: string }[]> {
  const values = [`${lockTimeout_ms}ms`, JSON.stringify(rows), freeBefore];
  return (await tx.executeQuery<{ service_id: string; key: string }>(CompiledQuery.raw(claimKeysAlone, values))).rows;
}

export async function releaseIdempotencyKey(tx: Tx, serviceId: string, key: string): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('service_id', '=', serviceId).where('key', '=', key).execute();
}

/** Only strings, because encrypted responses are strings. Ordered by the primary key: service and idempotency key. */
export async function selectEncryptedResponses(db: Db, after = `${nilId} `, limit: number) {
  const at = after.indexOf(' ');
  const { rows } = await sql<EncryptedValue>`
    select concat(service_id, ' ', key) as id, concat(service_id, ' ', key) as place,
      case when jsonb_typeof(response) = 'string' then response #>> '{}' end as text
    from idempotency_keys where (service_id, key) > (${after.slice(0, at)}::uuid, ${after.slice(at + 1)})
    order by service_id, key limit ${limit}`.execute(db);
  return { values: rows.filter(({ text }) => text !== null), last: rows.at(-1)?.id };
}

export async function replaceEncryptedResponses(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update idempotency_keys k set response = to_jsonb(v.after)
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id text, before text, after text)
    where k.service_id = left(v.id, 36)::uuid and k.key = substr(v.id, 38) and k.response = to_jsonb(v.before)
  `.execute(db);
}

export async function deleteIdempotencyKeys(db: Db, before: Timestamp, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at <= ${before} order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
