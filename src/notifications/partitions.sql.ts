import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';

// Any constant, the same in every process: two of them must not make the same partition at once.
const partitionLock = 7_294_002;

export interface Partition {
  name: string;
  /** First id that is in it, and first one that is no longer. */
  from_id: string;
  to_id: string;
}

const prefix = 'notifications_';

/** Room in each page for the status changes of its messages: then no index is touched by them. As in the migration. */
const fillfactor = 60;

export function partitionName(day: string): string {
  return `${prefix}${day.replaceAll('-', '')}`;
}

export async function selectPartitionNames(db: Db | Tx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'notifications'::regclass and child.relname <> 'notifications_default'
    order by child.relname`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Made aside and then attached, which does not keep messages from being stored; whatever of its days lies in the default
 * partition moves in. Gives up after two seconds of waiting for a lock: there is time, partitions are made days ahead.
 */
export async function createPartition(db: Db, { name, from_id, to_id }: Partition): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(tx);
    if ((await selectPartitionNames(tx)).includes(name)) return;
    const table = sql.table(name);
    await sql`create table ${table} (like notifications including defaults including constraints)
      with (fillfactor = ${sql.lit(fillfactor)})`.execute(tx);
    await sql`
      with moved as (delete from notifications_default where id >= ${from_id} and id < ${to_id} returning *)
      insert into ${table} select * from moved`.execute(tx);
    await sql`alter table notifications attach partition ${table}
      for values from (${sql.lit(from_id)}) to (${sql.lit(to_id)})`.execute(tx);
  });
}

export async function dropPartition(db: Db, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx);
    await sql`drop table if exists ${sql.table(name)}`.execute(tx);
  });
}
