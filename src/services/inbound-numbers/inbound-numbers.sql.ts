import { sql } from 'kysely';
import { t } from '../../language/text.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { invalidField } from '../../platform/failure.ts';

const service = sql<{ id: string; name: string } | null>`(
  select jsonb_build_object('id', services.id, 'name', services.name) from services
  where services.id = inbound_numbers.service_id)`;

const columns = ['id', 'number', 'provider', service.as('service'), 'active', 'created_at', 'updated_at'] as const;

/** `normalised_number` is null if another row has the same number. */
export function selectInboundNumbers(db: Db) {
  const all = db.selectFrom('inbound_numbers').select([...columns, 'normalised_number']);
  return all.orderBy('updated_at').orderBy('number').execute();
}

export function selectAvailableNumbers(db: Db) {
  return db
    .selectFrom('inbound_numbers')
    .select(columns)
    .where('active', '=', true)
    .where('service_id', 'is', null)
    .where('normalised_number', 'is not', null)
    .orderBy('number')
    .execute();
}

export function selectNumberOfService(db: Db, serviceId: string) {
  return db.selectFrom('inbound_numbers').select(columns).where('service_id', '=', serviceId).executeTakeFirst();
}

/** Locks the requested number, or any available one; skips numbers that a concurrent transaction has locked. */
export function lockAvailableNumber(tx: Tx, wantedId: string | undefined) {
  let query = tx
    .selectFrom('inbound_numbers')
    .select(['id', 'number'])
    .where('active', '=', true)
    .where('service_id', 'is', null)
    .where('normalised_number', 'is not', null);
  if (wantedId !== undefined) query = query.where('id', '=', wantedId);
  return query.orderBy('number').limit(1).forUpdate().skipLocked().executeTakeFirst();
}

export async function insertNumber(
  db: Db,
  row: { id: string; number: string; normalised_number: string; provider: string; created_at: Timestamp },
): Promise<void> {
  const taken = () => invalidField('number', t('Inbound number already exists'));
  await withConstraints({ inbound_numbers_number_key: taken, inbound_numbers_normalised_number_key: taken }, () =>
    db.insertInto('inbound_numbers').values(row).execute(),
  );
}

/**
 * Sorted so that, of several rows with the same number, the one that should receive its texts comes first: assigned before unassigned, then
 * active before disabled.
 */
export function selectNumbersByUse(tx: Tx) {
  return tx
    .selectFrom('inbound_numbers')
    .select(['id', 'number', 'normalised_number'])
    .orderBy((number) => number('service_id', 'is', null))
    .orderBy('active', 'desc')
    .orderBy((number) => number('number', 'not like', '0%'))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Two statements, because rows may swap numbers and the column is unique. */
export async function updateNormalisedNumbers(
  tx: Tx,
  rows: { id: string; normalised_number: string | null }[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx.updateTable('inbound_numbers').set({ normalised_number: null }).where('id', '=', anyOf(ids)).execute();
  await sql`
    update inbound_numbers set normalised_number = given.normalised_number
    from json_to_recordset(${JSON.stringify(rows)}::json) as given (id uuid, normalised_number text)
    where inbound_numbers.id = given.id and given.normalised_number is not null`.execute(tx);
}

export function selectNumber(db: Db, id: string) {
  return db.selectFrom('inbound_numbers').select(columns).where('id', '=', id).executeTakeFirstOrThrow();
}

export async function updateNumber(
  tx: Tx,
  id: string,
  change: { service_id?: string | null; active?: boolean; updated_at: Timestamp },
): Promise<void> {
  await tx.updateTable('inbound_numbers').set(change).where('id', '=', id).execute();
}
