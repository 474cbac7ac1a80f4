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

/** Newest first. */
export function selectRuns(db: Db, recurringId: string, limit: number): Promise<RecurringRunRow[]> {
  const list = db.selectFrom('recurring_runs').selectAll().where('recurring_id', '=', recurringId);
  return list.orderBy('due_at', 'desc').limit(limit).execute() as Promise<RecurringRunRow[]>;
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

/** Leases the oldest run without a job, unless another process is creating that job. */
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

export async function updateRun(
  db: Db | Tx,
  { recurring_id, due_at }: Pick<RecurringRunRow, 'recurring_id' | 'due_at'>,
  changes: Updateable<DB['recurring_runs']>,
): Promise<void> {
  await db
    .updateTable('recurring_runs')
    .set(changes)
    .where('recurring_id', '=', recurring_id)
    .where('due_at', '=', due_at)
    .execute();
}

/** Ends those that paused for this reason, if their last run was due before a moment. */
export async function endPaused(db: Db, reason: string, before: Timestamp): Promise<void> {
  await sql`
    update recurring_sends s set state = 'ended'
    where state = 'paused' and ends_reason = ${reason}
      and (select max(r.due_at) from recurring_runs r where r.recurring_id = s.id) < ${before}`.execute(db);
}

export async function deleteRunsBefore(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('recurring_runs').where('due_at', '<', before).where('outcome', '<>', 'started').execute();
}

export async function isMember(db: Db, serviceId: string, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom('service_members')
    .innerJoin('users', 'users.id', 'service_members.user_id')
    .select('users.id')
    .where('service_members.service_id', '=', serviceId)
    .where('users.id', '=', userId)
    .where('users.state', '=', 'active')
    .executeTakeFirst();
  return found !== undefined;
}
