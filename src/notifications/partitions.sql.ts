import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';

// An arbitrary advisory lock key: only one process may change partitions at a time.
const partitionLock = 7_294_002;

/** Short, because a pending exclusive lock blocks all other queries. */
const lockTimeout = sql.lit('1s');

/** Leaves room in each page for status changes, so that they are HOT updates and touch no index. The migration sets the same value. */
const fillfactor = 60;

/** A default partition up to this size is fast to scan. */
const maxSmall_bytes = 16 * 1024 * 1024;

/** Maximum number of rows to move out of the default partition under an exclusive lock. */
export const maxMoved = 5_000;

const guardPrefix = 'leaves_room_for_';

/** A range of ids. Ids ascend with time, so it is also a time range. */
export interface Range {
  /** Inclusive start and exclusive end. */
  from_id: string;
  to_id: string;
}

export interface Partition extends Range {
  name: string;
}

/** Selects partitions in chronological order, without the default one. */
export async function selectPartitions(db: Db | Tx): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bounds
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'notifications'::regclass and child.relname <> 'notifications_default'`.execute(db);
  return rows
    .map(({ name, bounds }) => {
      const [, from_id = '', to_id = ''] = /FROM \('([^']+)'\) TO \('([^']+)'\)/.exec(bounds) ?? [];
      return { name, from_id, to_id };
    })
    .sort((one, other) => (one.from_id < other.from_id ? -1 : 1));
}

export async function selectPartitionSizes(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select child.relname as name, pg_relation_size(child.oid) as bytes
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'notifications'::regclass`.execute(db);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

const isWithin = ({ from_id, to_id }: Range) => sql`id >= ${from_id} and id < ${to_id}`;
/** For statements that accept no parameters. */
const rangeCondition = ({ from_id, to_id }: Range) => sql`id >= ${sql.lit(from_id)} and id < ${sql.lit(to_id)}`;

const outsideCondition = ({ from_id, to_id }: Range) => sql`id < ${sql.lit(from_id)} or id >= ${sql.lit(to_id)}`;

/** Stops counting above `maxMoved`. */
export async function countInDefault(db: Db, range: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from notifications_default where ${isWithin(range)} limit ${maxMoved + 1}) as found`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Creates a table and attaches it, which does not block inserts. Moves a few messages from the default partition under an
 * exclusive lock, because concurrent queries would find them in neither table.
 */
export async function createPartition(db: Db, partition: Partition): Promise<void> {
  const moves = (await countInDefault(db, partition)) > 0;
  if (!moves) await addGuard(db, partition);
  await withPartitionLock(db, async (tx) => {
    if ((await selectPartitions(tx)).some(({ name }) => name === partition.name)) return;
    if (moves) await sql`lock table notifications in access exclusive mode`.execute(tx);
    const table = sql.table(partition.name);
    await sql`create table ${table} (like notifications including defaults including constraints)
      with (fillfactor = ${sql.lit(fillfactor)})`.execute(tx);
    if (moves) {
      await sql`
        with moved as (delete from notifications_default where ${isWithin(partition)} returning *)
        insert into ${table} select * from moved`.execute(tx);
    }
    await attach(tx, partition.name, partition);
    await dropGuardOf(tx, partition);
  });
}

/** Does not drop a partition with messages: a clock that was ahead may have put some there. */
export async function dropEmptyPartition(tx: Tx, name: string): Promise<void> {
  const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(tx);
  if (rows.length === 0) await sql`drop table ${sql.table(name)}`.execute(tx);
}

export async function dropPartition(db: Db, name: string): Promise<void> {
  await withPartitionLock(db, (tx) => sql`drop table if exists ${sql.table(name)}`.execute(tx));
}

/** Creates a table shaped like a partition, for the retained messages of one or several partitions. */
export async function createReplacement(db: Db, name: string, range: Range): Promise<void> {
  await sql`drop table if exists ${sql.table(name)}`.execute(db);
  await sql`create table ${sql.table(name)} (like notifications including defaults including constraints including indexes,
    constraint within_range check (${rangeCondition(range)})) with (fillfactor = ${sql.lit(fillfactor)})`.execute(db);
}

export async function dropReplacement(db: Db, name: string): Promise<void> {
  await sql`drop table if exists ${sql.table(name)}`.execute(db);
}

/**
 * Replaces the partitions with the table. `refresh` applies changes made since the table was filled; an exclusive lock
 * prevents further changes.
 */
export async function replacePartitions(
  db: Db,
  old: Partition[],
  replacement: string,
  partition: Partition,
  refresh: (tx: Tx) => Promise<void>,
): Promise<void> {
  await addGuard(db, partition);
  await withPartitionLock(db, async (tx) => {
    await sql`lock table notifications in access exclusive mode`.execute(tx);
    await refresh(tx);
    for (const { name } of old) await sql`drop table ${sql.table(name)}`.execute(tx);
    await sql`alter table ${sql.table(replacement)} rename to ${sql.table(partition.name)}`.execute(tx);
    await attach(tx, partition.name, partition);
    await sql`alter table ${sql.table(partition.name)} drop constraint within_range`.execute(tx);
    await dropGuardOf(tx, partition);
  });
}

async function attach(tx: Tx, name: string, { from_id, to_id }: Range): Promise<void> {
  await sql`alter table notifications attach partition ${sql.table(name)}
    for values from (${sql.lit(from_id)}) to (${sql.lit(to_id)})`.execute(tx);
}

function withPartitionLock(db: Db, change: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(tx);
    await sql`set local lock_timeout = ${lockTimeout}`.execute(tx);
    return change(tx);
  });
}

/**
 * Attaching a partition scans the default partition for rows of its range under an exclusive lock. A constraint, validated
 * beforehand without blocking, avoids that scan. It must be dropped before messages of the range arrive.
 */
async function addGuard(db: Db, range: Range): Promise<void> {
  if (await isDefaultSmall(db)) return;
  const constraint = sql.ref(guardOf(range));
  await withPartitionLock(db, async (tx) => {
    await sql`alter table notifications_default drop constraint if exists ${constraint}`.execute(tx);
    await sql`alter table notifications_default add constraint ${constraint} check (${outsideCondition(range)}) not valid`.execute(
      tx,
    );
  });
  try {
    await sql`alter table notifications_default validate constraint ${constraint}`.execute(db);
  } catch (error) {
    await withPartitionLock(db, (tx) => dropGuardOf(tx, range));
    throw error;
  }
}

async function dropGuardOf(tx: Tx, range: Range): Promise<void> {
  await dropGuard(tx, sql.ref(guardOf(range)));
}

const dropGuard = (tx: Tx, constraint: RawBuilder<unknown>) =>
  sql`alter table notifications_default drop constraint if exists ${constraint}`.execute(tx);

function guardOf({ from_id }: Range): string {
  return `${guardPrefix}${from_id.replaceAll('-', '').slice(0, 12)}`;
}

/** Drops constraints left by a crashed process: they would reject messages of their range. */
export async function dropStaleGuards(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid = 'notifications_default'::regclass and starts_with(conname, ${guardPrefix})`.execute(db);
  for (const { name } of rows) await withPartitionLock(db, (tx) => dropGuard(tx, sql.ref(name)));
}

export async function isDefaultSmall(db: Db): Promise<boolean> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_relation_size('notifications_default') as bytes`.execute(db);
  return (rows[0]?.bytes ?? 0) <= maxSmall_bytes;
}
