import { type Kysely, sql, type Transaction } from 'kysely';
import type { DB } from './schema.ts';

/** For reads and single statements. A function that must run in a transaction takes a Tx. */
export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}

const longPause = '60s';

/** For transactions of tasks, which may wait while the process is busy. */
export const longPausesInTransactions = `-c idle_in_transaction_session_timeout=${longPause}`;

/** For a transaction that waits for something other than the database, such as file storage. */
export async function allowLongPauses(tx: Tx): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = ${sql.lit(longPause)}`.execute(tx);
}
