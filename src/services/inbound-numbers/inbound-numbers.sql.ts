import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { invalidField } from '../../platform/failure.ts';

const service = sql<{ id: string; name: string } | null>`(
  select jsonb_build_object('id', services.id, 'name', services.name) from services
  where services.id = inbound_numbers.service_id)`;

const columns = ['id', 'number', 'provider', service.as('service'), 'active', 'created_at', 'updated_at'] as const;

export function selectInboundNumbers(db: Db) {
  return db.selectFrom('inbound_numbers').select(columns).orderBy('updated_at').orderBy('number').execute();
}

export function selectAvailableNumbers(db: Db) {
  return db
    .selectFrom('inbound_numbers')
    .select(columns)
    .where('active', '=', true)
    .where('service_id', 'is', null)
    .orderBy('number')
    .execute();
}

export function selectNumberOfService(db: Db, serviceId: string) {
  return db.selectFrom('inbound_numbers').select(columns).where('service_id', '=', serviceId).executeTakeFirst();
}

/** Locks the requested number, or any available one; skips numbers that a concurrent transaction has locked. */
export function lockAvailableNumber(tx: Tx, wantedId: string | undefined) {
  return tx
    .selectFrom('inbound_numbers')
    .select(['id', 'number'])
    .where('active', '=', true)
    .where('service_id', 'is', null)
    .$if(wantedId !== undefined, (query) => query.where('id', '=', wantedId ?? ''))
    .orderBy('number')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function insertNumber(
  db: Db,
  row: { id: string; number: string; provider: string; created_at: Timestamp },
): Promise<void> {
  await withConstraints(
    { inbound_numbers_number_key: () => invalidField('number', 'Inbound number already exists') },
    () => db.insertInto('inbound_numbers').values(row).execute(),
  );
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
