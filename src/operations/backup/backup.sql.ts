import type { Readable, Writable } from 'node:stream';
import { sql } from 'kysely';
import pg from 'pg';
import copy from 'pg-copy-streams';
import type { Partition } from '../../notifications/partitions.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Installation } from '../country/installation.sql.ts';

interface Table {
  table: string;
  columns: string[];
  /** False for unlogged tables on a standby, which does not have their rows. A crash or failover loses these rows too. */
  has_rows: boolean;
}

export async function listTablesToKeep(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as table, c.relpersistence <> 'u' or not pg_is_in_recovery() as has_rows,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'schema_migrations'
    order by c.relname`);
  return rows;
}

/**
 * Circular foreign keys cannot be satisfied by any load order. They are checked at the end of the restoring transaction, and become
 * immediate again after it.
 */
export async function withForeignKeysCheckedAtTheEnd(client: pg.ClientBase, load: () => Promise<void>): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string }>(`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and not condeferrable and conparentid = 0`);
  const alterAll = async (how: string) => {
    for (const { table, name } of keys) {
      await client.query(`alter table ${table} alter constraint ${pg.escapeIdentifier(name)} ${how}`);
    }
  };
  await alterAll('deferrable initially deferred');
  await load();
  await client.query('set constraints all immediate');
  await alterAll('not deferrable');
}

/** Returns undefined for a database of a release that only supported the United Kingdom. */
export async function selectBackedUpInstallation(client: pg.ClientBase): Promise<Installation | undefined> {
  const { rows: found } = await client.query(`select to_regclass('installation') is not null as has_row`);
  if (!found[0]?.has_row) return undefined;
  const { rows } = await client.query<Installation>(
    'select country, zone, currency, postage, profile from installation',
  );
  return rows[0];
}

export async function listAppliedMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** All reads in this transaction see the same snapshot. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
}

async function exists(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [table]);
  return rows[0]?.found === true;
}

// An arbitrary constant that differs from our other advisory locks.
const restoreLock = 7_294_004;

/** Holds the lock until the connection closes. Returns false if another connection to the same database has it. */
export async function lockForRestore(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [restoreLock]);
  return rows[0]?.locked === true;
}

export function copyOut(client: pg.ClientBase, table: string, columns: string[]): Readable {
  return client.query(copy.to(`copy (select ${names(columns)} from ${pg.escapeIdentifier(table)}) to stdout`));
}

export function copyIn(client: pg.ClientBase, table: string, columns: string[]): Writable {
  return client.query(copy.from(`copy ${pg.escapeIdentifier(table)} (${names(columns)}) from stdin`));
}

/** Must run before any row in its range is inserted. Every partition has the same fillfactor. */
export async function addPartition(client: pg.ClientBase, { name, from_id, to_id }: Partition): Promise<void> {
  await client.query(`create table ${pg.escapeIdentifier(name)} partition of notifications
    for values from (${pg.escapeLiteral(from_id)}) to (${pg.escapeLiteral(to_id)}) with (fillfactor = 60)`);
}

/** Counts what a worker would send as soon as it starts. */
export async function countUnsent(
  client: pg.ClientBase,
): Promise<{ messages: number; letters: number; planned: number }> {
  const { rows } = await client.query<{ messages: string; letters: string; planned: string }>(`
    select (select count(*) from delivery_queue q join notifications n on n.id = q.notification_id
        where n.status = 'created') as messages,
      (select count(*) from notifications
        where notification_type = 'letter' and status in ('created', 'pending-virus-check') and key_type <> 'test') as letters,
      (select count(*) from plan_messages m where status in ('created', 'in-progress')
        and exists (select from plan_steps s where s.message_id = m.id and s.state = 'waiting')) as planned`);
  const [{ messages, letters, planned } = { messages: 0, letters: 0, planned: 0 }] = rows;
  return { messages: Number(messages), letters: Number(letters), planned: Number(planned) };
}

export interface WaitingTask {
  task: string;
  payload: unknown;
  run_at: string;
  max_attempts: number;
  key: string | null;
  priority: number;
  queue_name: string | null;
}

/** Pending tasks, such as callbacks and letters, must survive a restore. */
export async function listWaitingTasks(client: pg.ClientBase): Promise<WaitingTask[]> {
  const { rows } = await client.query<WaitingTask>(`
    select task.identifier as task, job.payload, job.run_at::text, job.max_attempts, job.key, job.priority,
      queue.queue_name
    from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
      left join graphile_worker._private_job_queues queue on queue.id = job.job_queue_id
    where job.attempts < job.max_attempts order by job.id`);
  return rows;
}

export async function addWaitingTask(client: pg.ClientBase, waiting: WaitingTask): Promise<void> {
  await client.query(
    `select graphile_worker.add_job($1, payload => $2::json, run_at => $3::timestamptz, max_attempts => $4::int,
      job_key => $5, priority => $6::int, queue_name => $7)`,
    [
      waiting.task,
      JSON.stringify(waiting.payload),
      waiting.run_at,
      waiting.max_attempts,
      waiting.key,
      waiting.priority,
      waiting.queue_name,
    ],
  );
}

/**
 * Whether the database is empty or contains only the rows inserted by migrations. Audit log entries must not be deleted, so a database with
 * entries counts as used.
 */
export async function isUnused(client: pg.ClientBase): Promise<boolean> {
  const isFilled = async (condition: string) => {
    const { rows } = await client.query<{ filled: boolean }>(`select ${condition} as filled`);
    return rows[0]?.filled === true;
  };
  if (!(await exists(client, 'services'))) return true;
  if (await isFilled('(select count(*) from services) > 1 or exists (select 1 from notifications)')) return false;
  return !(await isFilled('exists (select 1 from audit_log)'));
}

export async function emptyTables(client: pg.ClientBase, tables: string[]): Promise<void> {
  await client.query(`truncate ${tables.map(pg.escapeIdentifier).join(', ')}`);
}

function names(columns: string[]): string {
  return columns.map(pg.escapeIdentifier).join(', ');
}

/** Selects queued messages that were not handed over to a provider. */
export async function selectUnsent(db: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select n.id from delivery_queue q join notifications n on n.id = q.notification_id
    where n.status = 'created' limit ${max}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Selects letters that were not handed over to a printer. */
export async function selectUnprintedLetters(db: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from notifications
    where notification_type = 'letter' and status in ('created', 'pending-virus-check') and key_type <> 'test'
    limit ${max}`.execute(db);
  return rows.map(({ id }) => id);
}
