import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** Merges the appended changes into the counts of each plan. One process at a time. */
export async function addUpPlanOutcomes(tx: Tx): Promise<void> {
  await sql`
    with taken as (delete from plan_outcome_changes returning *)
    insert into plan_outcomes as known (plan_id, plan_version, status, step, messages)
    select plan_id, plan_version, status, step, sum(messages) from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (plan_id, plan_version, status, step) do update set messages = known.messages + excluded.messages`.execute(
    tx,
  );
}
