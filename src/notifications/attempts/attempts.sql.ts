import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Cte, Statement } from '../../platform/db/statement.ts';

export interface FailedAttemptRow {
  notification_id: string;
  attempt: number;
  provider: string | null;
  /** `reported`: a receipt gave the reason. */
  outcome: 'failed' | 'refused' | 'unknown' | 'reported';
  reason: string;
  duration_ms: number | null;
  failed_at: Timestamp;
  retry_at: Timestamp | null;
}

type FailedAttempt = FailedAttemptRow & { outcome: Exclude<FailedAttemptRow['outcome'], 'reported'> };

export async function selectFailedAttempts(db: Db, notificationId: string): Promise<FailedAttempt[]> {
  const rows = await db
    .selectFrom('failed_attempts')
    .selectAll()
    .where('notification_id', '=', notificationId)
    .where('outcome', '<>', 'reported')
    .orderBy('attempt')
    .execute();
  return rows as FailedAttempt[];
}

/** `erased` are the messages whose personal data this statement deletes. */
export function forgetFailures(statement: Statement, erased: Cte<'id'>): void {
  statement.with(
    'forgotten_failures',
    sql`delete from failed_attempts f using ${erased} where f.notification_id = ${erased}.id`,
  );
}

/** Deletes the attempts in one batch whose message is gone. Returns the last id of the batch; undefined at the end. */
export async function deleteOrphanedAttempts(
  db: Db,
  { after, before }: { after: string; before: string },
  size: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ last: string | null }>`
    with batch as (
      select distinct notification_id as id from failed_attempts
      where notification_id > ${after} and notification_id < ${before} order by 1 limit ${size}
    ), deleted as (
      delete from failed_attempts f using batch
      where f.notification_id = batch.id and not exists (select from notifications n where n.id = batch.id)
    )
    select max(id::text) as last from batch`.execute(db);
  return rows[0]?.last ?? undefined;
}
