import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

/** Serialises requests for the same account or service until the transaction ends. */
export async function lockRequestedMessages(tx: Tx, requestedFor: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${requestedFor}, 41))`.execute(tx);
}

export async function countRequestedMessages(
  tx: Tx,
  { requested_for, kind, since }: { requested_for: string; kind: string; since: Timestamp },
): Promise<number> {
  const { count } = await tx
    .selectFrom('requested_messages')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('requested_for', '=', requested_for)
    .where('kind', '=', kind)
    .where('requested_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertRequestedMessage(tx: Tx, row: Insertable<DB['requested_messages']>): Promise<void> {
  await tx.insertInto('requested_messages').values(row).execute();
}

export async function deleteRequestedMessagesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('requested_messages').where('requested_at', '<=', moment).execute();
}
