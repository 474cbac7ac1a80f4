import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';

// Any constant, the same in every process: two of them must not change partitions at once.
const partitionLock = 7_294_002;

/** Whoever waits for the lock makes everything else wait: not for longer than this. */
const lockTimeout = sql.lit('1s');

/** Room in each page for the status changes of its messages: then no index is touched by them. As in the migration. */
const fillfactor = 60;

/** A default partition up to this size is searched in a moment. */
const small_bytes = 16 * 1024 * 1024;

/** More rows than this are not moved out of the default partition while everything waits. */
export const mostMoved = 5_000;

const guard = 'leaves_room_for_';

/** A range of ids, which is a range of time. */
export interface Range {
  /** First id that is in it, and first one that is no longer. */
  from_id: string;
  to_id: string;
}

export interface Partition extends Range {
  name: string;
}

/** In the order of time, without the default partition. */
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

const isWithin = ({ from_id, to_id }: Range) => sql`id >= ${from_id} and id < ${to_id}`;
/** For statements that take no parameters. */
const rangeCondition = ({ from_id, to_id }: Range) => sql`id >= ${sql.lit(from_id)} and id < ${sql.lit(to_id)}`;

const literallyOutside = ({ from_id, to_id }: Range) => sql`id < ${sql.lit(from_id)} or id >= ${sql.lit(to_id)}`;

/** Counts no further than one more than can be moved. */
export async function countInDefault(db: Db, range: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from notifications_default where ${isWithin(range)} limit ${mostMoved + 1}) as found`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Made aside and then attached, which does not keep messages from being stored. Few messages that lie in the default
 * partition move in; meanwhile nothing may look at messages, or it would find some of them in neither place.
 */
export async function createPartition(db: Db, partition: Partition): Promise<void> {
  const moves = (await countInDefault(db, partition)) > 0;
  if (!moves) await keepOutOfDefault(db, partition);
  await changingPartitions(db, async (tx) => {
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
    await letIntoDefault(tx, partition);
  });
}

export async function dropPartition(db: Db, name: string): Promise<void> {
  await changingPartitions(db, (tx) => sql`drop table if exists ${sql.table(name)}`.execute(tx));
}

/** A table of the form of a partition, for the messages that stay of one or several. */
export async function createAside(db: Db, name: string, range: Range): Promise<void> {
  await sql`drop table if exists ${sql.table(name)}`.execute(db);
  await sql`create table ${sql.table(name)} (like notifications including defaults including constraints including indexes,
    constraint within_range check (${rangeCondition(range)})) with (fillfactor = ${sql.lit(fillfactor)})`.execute(db);
}

export async function dropAside(db: Db, name: string): Promise<void> {
  await sql`drop table if exists ${sql.table(name)}`.execute(db);
}

/**
 * Puts the table in place of the partitions. `refresh` brings in what changed since it was filled; nothing changes any more
 * while it does.
 */
export async function replacePartitions(
  db: Db,
  old: Partition[],
  aside: string,
  partition: Partition,
  refresh: (tx: Tx) => Promise<void>,
): Promise<void> {
  await keepOutOfDefault(db, partition);
  await changingPartitions(db, async (tx) => {
    await sql`lock table notifications in access exclusive mode`.execute(tx);
    await refresh(tx);
    for (const { name } of old) await sql`drop table ${sql.table(name)}`.execute(tx);
    await sql`alter table ${sql.table(aside)} rename to ${sql.table(partition.name)}`.execute(tx);
    await attach(tx, partition.name, partition);
    await sql`alter table ${sql.table(partition.name)} drop constraint within_range`.execute(tx);
    await letIntoDefault(tx, partition);
  });
}

async function attach(tx: Tx, name: string, { from_id, to_id }: Range): Promise<void> {
  await sql`alter table notifications attach partition ${sql.table(name)}
    for values from (${sql.lit(from_id)}) to (${sql.lit(to_id)})`.execute(tx);
}

function changingPartitions(db: Db, change: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(tx);
    await sql`set local lock_timeout = ${lockTimeout}`.execute(tx);
    return change(tx);
  });
}

/**
 * Attaching a partition makes sure that the default one holds nothing of it, by reading all of it while everything waits. A
 * constraint says so beforehand: checking that keeps nothing waiting. It must be gone before the range could be used.
 */
async function keepOutOfDefault(db: Db, range: Range): Promise<void> {
  if (await isDefaultSmall(db)) return;
  const constraint = sql.ref(guardOf(range));
  await changingPartitions(db, async (tx) => {
    await sql`alter table notifications_default drop constraint if exists ${constraint}`.execute(tx);
    await sql`alter table notifications_default add constraint ${constraint} check (${literallyOutside(range)}) not valid`.execute(
      tx,
    );
  });
  try {
    await sql`alter table notifications_default validate constraint ${constraint}`.execute(db);
  } catch (error) {
    await changingPartitions(db, (tx) => letIntoDefault(tx, range));
    throw error;
  }
}

async function letIntoDefault(tx: Tx, range: Range): Promise<void> {
  await dropGuard(tx, sql.ref(guardOf(range)));
}

const dropGuard = (tx: Tx, constraint: RawBuilder<unknown>) =>
  sql`alter table notifications_default drop constraint if exists ${constraint}`.execute(tx);

function guardOf({ from_id }: Range): string {
  return `${guard}${from_id.replaceAll('-', '').slice(0, 12)}`;
}

/** Constraints that a process left behind when it died: a message of their range would be refused one day. */
export async function dropLeftGuards(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid = 'notifications_default'::regclass and starts_with(conname, ${guard})`.execute(db);
  for (const { name } of rows) await changingPartitions(db, (tx) => dropGuard(tx, sql.ref(name)));
}

export async function isDefaultSmall(db: Db): Promise<boolean> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_relation_size('notifications_default') as bytes`.execute(db);
  return (rows[0]?.bytes ?? 0) <= small_bytes;
}
