import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Cte, Statement } from '../../platform/db/statement.ts';

export interface HealthChange {
  /** The name from `nameInHealth`. */
  provider: string;
  period_start: Timestamp;
  handed_over: number;
  errors: number;
}

/** Adds to statements that record results. It appends rows, because updating a shared row would serialise all commits. */
export function countHandOvers(statement: Statement, changes: HealthChange[]): void {
  statement.with(
    'health',
    sql`insert into provider_health_changes (provider, period_start, handed_over, errors, delivered_in_time, failed)
      select c.*, 0, 0 from json_to_recordset(${JSON.stringify(changes)}::json)
        as c (provider text, period_start timestamptz, handed_over int, errors int)`,
  );
}

/** Adds to statements that record receipts. An outcome counts for the period in which the message was handed over. */
export function countReceipts(
  statement: Statement,
  after: Cte<'provider' | 'notification_type' | 'sent_at' | 'status' | 'key_type'>,
  { inTimeSince, isCounted }: { inTimeSince: Timestamp; isCounted: boolean },
): void {
  statement.with(
    'health',
    sql`insert into provider_health_changes (provider, period_start, handed_over, errors, delivered_in_time, failed)
      select case when provider = 'sandbox' and notification_type = 'email' then 'sandbox-email' else provider end,
        date_bin('10 seconds', sent_at, 'epoch'), 0, 0,
        count(*) filter (where status = 'delivered' and sent_at > ${inTimeSince}),
        count(*) filter (where status like '%-failure')
      from ${after}
      where ${isCounted}::boolean and provider is not null and sent_at is not null and key_type <> 'test'
        and (status = 'delivered' and sent_at > ${inTimeSince} or status like '%-failure')
      group by 1, 2`,
  );
}

/** Merges the appended rows into the permanent ones. */
export async function addUpHealth(tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-health */
    with taken as (delete from provider_health_changes returning *)
    insert into provider_health as health
      (provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched)
    select provider, period_start, sum(handed_over), sum(errors), sum(delivered_in_time), sum(failed), sum(unmatched)
    from taken
    group by 1, 2
    order by 2, 1
    on conflict (period_start, provider) do update set
      handed_over = health.handed_over + excluded.handed_over, errors = health.errors + excluded.errors,
      delivered_in_time = health.delivered_in_time + excluded.delivered_in_time,
      failed = health.failed + excluded.failed, unmatched = health.unmatched + excluded.unmatched`.execute(tx);
}

/** Records a receipt whose id matches no message. */
export async function insertUnmatchedReceipt(db: Db, provider: string, period_start: Timestamp): Promise<void> {
  const none = { handed_over: 0, errors: 0, delivered_in_time: 0, failed: 0 };
  await db
    .insertInto('provider_health_changes')
    .values({ provider, period_start, ...none, unmatched: 1 })
    .execute();
}

interface ReceiptCounts {
  provider: string;
  /** Receipts that were in time or report failures. Other receipts are not counted. */
  matched: number;
  unmatched: number;
}

export async function selectReceiptCounts(db: Db, since: Timestamp): Promise<ReceiptCounts[]> {
  const { rows } = await sql<ReceiptCounts>`
    select provider, sum(delivered_in_time + failed)::int as matched, sum(unmatched)::int as unmatched
    from provider_health_counts where period_start >= ${since} group by 1`.execute(db);
  return rows;
}

export async function countErrorsSince(db: Db | Tx, since: Timestamp): Promise<Map<string, number>> {
  const { rows } = await sql<{ provider: string; errors: number }>`
    select provider, sum(errors) as errors from provider_health_counts where period_start >= ${since} group by provider`.execute(
    db,
  );
  return new Map(rows.map(({ provider, errors }) => [provider, errors]));
}

interface Speed {
  provider: string;
  /** Messages handed over and not failed. */
  messages: number;
  /** Those of `messages` without a receipt in time. */
  slow: number;
}

/** Messages handed over after `handedOverBefore` are too recent to be slow. */
export async function selectSpeeds(db: Db | Tx, since: Timestamp, handedOverBefore: Timestamp): Promise<Speed[]> {
  const { rows } = await sql<Speed>`
    select provider, sum(handed_over - failed) as messages,
      coalesce(sum(handed_over - failed - delivered_in_time) filter (where period_start < ${handedOverBefore}), 0) as slow
    from provider_health_counts where period_start >= ${since} group by provider`.execute(db);
  return rows;
}

export async function deleteHealthBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('provider_health').where('period_start', '<', moment).execute();
}

export interface HealthPeriod {
  provider: string;
  period_start: Timestamp;
  handed_over: number;
  errors: number;
}

/** Selects calls by provider and period of ten seconds, oldest first. */
export async function selectHealthSince(db: Db, since: Timestamp): Promise<HealthPeriod[]> {
  const { rows } = await sql<HealthPeriod>`
    select provider, period_start, sum(handed_over)::int as handed_over, sum(errors)::int as errors
    from provider_health_counts where period_start >= ${since}
    group by 1, 2 having sum(handed_over) + sum(errors) > 0 order by 2, 1`.execute(db);
  return rows;
}
