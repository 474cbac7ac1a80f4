import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

/** Which text a part belongs to. Phones number their texts, from 0 to 255 or 65,535. */
export interface TextOfParts {
  service_id: string;
  user_number: string;
  number: number;
  total: number;
}

/** Two processes that get the last two parts at the same time would otherwise both wait for the other one. */
export async function lockParts(tx: Tx, { service_id, user_number, number }: TextOfParts): Promise<void> {
  const key = `received parts ${service_id} ${user_number} ${number}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
}

export async function insertPart(
  tx: Tx,
  part: TextOfParts & { nth: number; content: string; received_at: Timestamp },
): Promise<void> {
  await tx
    .insertInto('received_parts')
    .values(part)
    .onConflict((conflict) =>
      conflict
        .columns(['service_id', 'user_number', 'number', 'total', 'nth'])
        .doUpdateSet({ content: part.content, received_at: part.received_at }),
    )
    .execute();
}

export async function selectParts(
  tx: Tx,
  { service_id, user_number, number, total }: TextOfParts,
  since: Timestamp,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('received_parts')
    .select('content')
    .where('service_id', '=', service_id)
    .where('user_number', '=', user_number)
    .where('number', '=', number)
    .where('total', '=', total)
    .where('received_at', '>', since)
    .orderBy('nth')
    .execute();
  return rows.map(({ content }) => content);
}

export async function deleteParts(tx: Tx, { service_id, user_number, number, total }: TextOfParts): Promise<void> {
  await tx
    .deleteFrom('received_parts')
    .where('service_id', '=', service_id)
    .where('user_number', '=', user_number)
    .where('number', '=', number)
    .where('total', '=', total)
    .execute();
}

export async function deletePartsBefore(db: Db, moment: Timestamp): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('received_parts').where('received_at', '<', moment).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deletePartsOf(db: Db, userNumber: string, serviceId: string | undefined): Promise<void> {
  await sql`delete from received_parts where user_number = ${userNumber}
    and (${serviceId ?? null}::uuid is null or service_id = ${serviceId ?? null}::uuid)`.execute(db);
}
