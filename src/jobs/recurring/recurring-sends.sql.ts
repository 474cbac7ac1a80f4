import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { StoredText } from '../../language/text.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { leaseEnd, leaseHasEnded } from '../../platform/db/lease.ts';
import type { DB } from '../../platform/db/schema.ts';

export type RecurringSendRow = Selectable<DB['recurring_sends']>;
export type RecurringRunRow = Omit<Selectable<DB['recurring_runs']>, 'reason_texts'> & {
  reason_texts: StoredText[] | null;
};

export function selectRecurringSends(db: Db, serviceId: string): Promise<RecurringSendRow[]> {
  const list = db.selectFrom('recurring_sends').selectAll().where('service_id', '=', serviceId);
  return list.orderBy('id', 'desc').execute();
}

export function selectRecurringSend(db: Db, id: string): Promise<RecurringSendRow | undefined> {
  return db.selectFrom('recurring_sends').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Lock it before its runs, so that two transactions that pause it do not wait for each other. */
export function lockRecurringSend(tx: Tx, id: string): Promise<RecurringSendRow | undefined> {
  return tx.selectFrom('recurring_sends').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Newest first, each with the status of its job. */
export function selectRuns(
  db: Db,
  recurringId: string,
  limit: number,
): Promise<(RecurringRunRow & { job_status: string | null })[]> {
  const runs = db.selectFrom('recurring_runs').leftJoin('jobs', 'jobs.id', 'recurring_runs.job_id');
  const list = runs.selectAll('recurring_runs').select('jobs.status as job_status');
  return list
    .where('recurring_id', '=', recurringId)
    .orderBy('due_at', 'desc')
    .limit(limit)
    .$castTo<RecurringRunRow & { job_status: string | null }>()
    .execute();
}

/** Selects the run that made a job, if it has no outcome yet. */
export function selectRunOfJob(db: Db, job_id: string): Promise<RecurringRunRow | undefined> {
  return db
    .selectFrom('recurring_runs')
    .selectAll()
    .where('job_id', '=', job_id)
    .where('outcome', '=', 'started')
    .$castTo<RecurringRunRow>()
    .executeTakeFirst();
}

export async function insertRecurringSend(db: Db, row: RecurringSendRow): Promise<void> {
  await db.insertInto('recurring_sends').values(row).execute();
}

export async function updateRecurringSend(db: Db | Tx, id: string, changes: Partial<RecurringSendRow>): Promise<void> {
  await db.updateTable('recurring_sends').set(changes).where('id', '=', id).execute();
}

export async function deleteRecurringSend(db: Db, id: string): Promise<void> {
  await db.deleteFrom('recurring_sends').where('id', '=', id).execute();
}

/** Locks one that is due, unless another process has locked it. */
export async function lockDue(
  tx: Tx,
  now: Timestamp,
  except: readonly string[],
): Promise<RecurringSendRow | undefined> {
  return tx
    .selectFrom('recurring_sends')
    .selectAll()
    .where('state', '=', 'active')
    .where('next_at', '<=', now)
    .where(sql<boolean>`id <> all (${except}::uuid[])`)
    .orderBy('next_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** Does nothing if the date already has its run. */
export async function insertRun(tx: Tx, run: Insertable<DB['recurring_runs']>): Promise<void> {
  await tx
    .insertInto('recurring_runs')
    .values(run)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Leases the oldest run without an outcome, unless another process has leased it. */
export async function leaseRun(db: Db, lease_ms: number): Promise<RecurringRunRow | undefined> {
  const { rows } = await sql<RecurringRunRow>`
    update recurring_runs set leased_until = ${leaseEnd(lease_ms)}
    where (recurring_id, due_at) = (
      select recurring_id, due_at from recurring_runs
      where outcome = 'started' and ${leaseHasEnded('leased_until')}
      order by due_at limit 1 for update skip locked
    )
    returning *`.execute(db);
  return rows[0];
}

type RunKey = Pick<RecurringRunRow, 'recurring_id' | 'due_at'>;

/** Returns false if the run has an outcome, or was deleted with its recurring send. */
export async function updateRun(
  db: Db | Tx,
  { recurring_id, due_at }: RunKey,
  changes: Updateable<DB['recurring_runs']>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recurring_runs')
    .set(changes)
    .where('recurring_id', '=', recurring_id)
    .where('due_at', '=', due_at)
    .where('outcome', '=', 'started')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns false if the run has an outcome, or was deleted. Until the transaction ends, it gets none. */
export async function lockRun(tx: Tx, { recurring_id, due_at }: RunKey): Promise<boolean> {
  const { rows } = await sql`
    select from recurring_runs where recurring_id = ${recurring_id} and due_at = ${due_at} and outcome = 'started'
    for no key update`.execute(tx);
  return rows.length > 0;
}

/** Skips the runs that have no job yet. Returns their number. */
export async function skipWaitingRuns(tx: Tx, recurringId: string, reason: string): Promise<number> {
  // A statement of its own: the next one then sees the jobs for whose acceptance this one waited.
  await sql`
    select from recurring_runs where recurring_id = ${recurringId} and outcome = 'started' for no key update`.execute(
    tx,
  );
  const { numAffectedRows } = await sql`
    update recurring_runs r set outcome = 'skipped', reason = ${reason}, reason_texts = null, leased_until = null
    where recurring_id = ${recurringId} and outcome = 'started' and not exists (select from jobs where id = r.job_id)`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** Ends those that paused for one of these reasons, if their last run was due before a moment. */
export async function endPaused(db: Db, reasons: readonly string[], before: Timestamp): Promise<void> {
  await sql`
    update recurring_sends s set state = 'ended'
    where state = 'paused' and ends_reason = any (${reasons}::text[])
      and (select max(r.due_at) from recurring_runs r where r.recurring_id = s.id) < ${before}`.execute(db);
}

export async function deleteRunsBefore(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('recurring_runs').where('due_at', '<', before).where('outcome', '<>', 'started').execute();
}

interface Owner {
  permissions: string[];
  sees_folder: boolean;
}

/** Undefined if the person is not an active member of the service. Everybody sees templates without a folder. */
export async function selectOwner(
  db: Db,
  { service_id, user_id, folder }: { service_id: string; user_id: string; folder: string | null },
): Promise<Owner | undefined> {
  const { rows } = await sql<Owner>`
    select m.permissions, ${folder}::uuid is null or exists (
      select from template_folder_members f
      where f.service_id = m.service_id and f.user_id = m.user_id and f.template_folder_id = ${folder}) as sees_folder
    from service_members m join users u on u.id = m.user_id
    where m.service_id = ${service_id} and m.user_id = ${user_id} and u.state = 'active'`.execute(db);
  return rows[0];
}
