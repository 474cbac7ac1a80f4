import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export interface HealthChange {
  provider: string;
  period_start: Timestamp;
  handed_over: number;
  errors: number;
  delivered_in_time: number;
  failed: number;
}

export async function addHealth(tx: Tx, changes: HealthChange[]): Promise<void> {
  await sql`
    insert into provider_health as health (provider, period_start, handed_over, errors, delivered_in_time, failed)
    select * from json_to_recordset(${JSON.stringify(changes)}::json) as c (provider text, period_start timestamptz,
      handed_over int, errors int, delivered_in_time int, failed int)
    order by period_start, provider
    on conflict (period_start, provider) do update set
      handed_over = health.handed_over + excluded.handed_over, errors = health.errors + excluded.errors,
      delivered_in_time = health.delivered_in_time + excluded.delivered_in_time,
      failed = health.failed + excluded.failed`.execute(tx);
}

export async function countErrorsSince(db: Db | Tx, since: Timestamp): Promise<Map<string, number>> {
  const { rows } = await sql<{ provider: string; errors: number }>`
    select provider, sum(errors) as errors from provider_health where period_start >= ${since} group by provider`.execute(
    db,
  );
  return new Map(rows.map(({ provider, errors }) => [provider, errors]));
}

interface Speed {
  provider: string;
  /** Handed over and not failed. */
  messages: number;
  /** Of those, the ones that had no receipt in time. */
  slow: number;
}

/** Only what was handed over before `judgedBefore` can be slow yet. */
export async function selectSpeeds(db: Db | Tx, since: Timestamp, judgedBefore: Timestamp): Promise<Speed[]> {
  const { rows } = await sql<Speed>`
    select provider, sum(handed_over - failed) as messages,
      coalesce(sum(handed_over - failed - delivered_in_time) filter (where period_start < ${judgedBefore}), 0) as slow
    from provider_health where period_start >= ${since} group by provider`.execute(db);
  return rows;
}

export async function deleteHealthBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('provider_health').where('period_start', '<', moment).execute();
}
