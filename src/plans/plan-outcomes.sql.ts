import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import type { PlanMessage, StoredStep } from './plan-messages.sql.ts';
import { deliveredStep, type MessageStatus } from './plan-rules.ts';

/** How many messages of each plan have each status, and which step ended them: sums of appended changes, so no messages are scanned. */

type CountedMessage = Pick<PlanMessage, 'plan_id' | 'plan_version' | 'key_type'>;

interface Situation {
  status: MessageStatus;
  steps: readonly Pick<StoredStep, 'number' | 'state' | 'ended_at'>[];
}

/** Appends a change of a message, in its transaction. Messages of test keys do not count. */
export async function countOutcome(
  tx: Tx,
  { plan_id, plan_version, key_type }: CountedMessage,
  { before, after }: { before?: Situation; after: Situation },
): Promise<void> {
  if (key_type === 'test') return;
  const [from, to] = [before && outcomeOf(before), outcomeOf(after)];
  if (from?.status === to.status && from.step === to.step) return;
  const rows = [...(from ? [{ ...from, messages: -1 }] : []), { ...to, messages: 1 }];
  await tx
    .insertInto('plan_outcome_changes')
    .values(rows.map((row) => ({ ...row, plan_id, plan_version })))
    .execute();
}

/** The status, and for a delivered message the step that reached the recipient. */
function outcomeOf({ status, steps }: Situation): { status: MessageStatus; step: number } {
  return { status, step: (status === 'delivered' ? deliveredStep(steps)?.number : undefined) ?? 0 };
}

const all = sql`(
  select plan_id, plan_version, status, step, messages from plan_outcomes
  union all select plan_id, plan_version, status, step, messages from plan_outcome_changes)`;

interface PlanOutcome {
  status: MessageStatus;
  /** 0 unless it was delivered. */
  step: number;
  channel: Channel | null;
  messages: number;
}

/** Of all versions: in another version, a step may have another channel. */
export async function selectOutcomes(db: Db, planId: string): Promise<PlanOutcome[]> {
  const { rows } = await sql<PlanOutcome>`
    select status, step, case when step > 0 then v.steps -> (step - 1) ->> 'channel' end as channel, sum(messages)::float8 as messages
    from ${all} as counted
    join channel_plan_versions v on v.plan_id = counted.plan_id and v.version = counted.plan_version
    where counted.plan_id = ${planId} group by 1, 2, 3 having sum(messages) <> 0 order by 2, 3, 1`.execute(db);
  return rows;
}

export async function sumByStatus(db: Db): Promise<{ status: MessageStatus; messages: number }[]> {
  const { rows } = await sql<{ status: MessageStatus; messages: number }>`
    select status, sum(messages)::float8 as messages from ${all} as counted group by 1`.execute(db);
  return rows;
}

/** For how many seconds the oldest due message has been due. Failed attempts do not change that. */
export async function selectLateness(db: Db, now: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0)::float8 as seconds
    from plan_messages where due_at <= ${now}`.execute(db);
  return rows[0]?.seconds ?? 0;
}
