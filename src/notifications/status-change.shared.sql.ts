import { type RawBuilder, sql } from 'kysely';
import type { Calendar } from '../countries/calendar.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { localDay, oncePer } from '../platform/db/local-day.ts';
import { type Cte, Statement } from '../platform/db/statement.ts';
import type { FailedAttemptRow } from './attempts/attempts.sql.ts';
import { countEmailOutcomes } from './guard/email-outcomes.shared.sql.ts';
import { type ChangedNotification, type Status, type StatusChange, transitions } from './notification.ts';
import { recordChangedSteps } from './plan-steps.shared.sql.ts';

/**
 * Parts of statements that change the status of messages. Delivery adds its own parts, so that the result of an attempt, its callback and
 * the health of its provider are recorded in one statement. `docs/sql/` has the full texts.
 */

const changeColumns = {
  id: 'uuid',
  status: 'text',
  event: 'text',
  provider: 'text',
  provider_reference: 'text',
  billable_units: 'int',
  sent_at: 'timestamptz',
  postage: 'text',
  international: 'boolean',
  recipient: 'text',
  normalised_recipient: 'text',
  blames_sender: 'boolean',
  sending_domain_id: 'uuid',
} as const;

const queueColumns = { due_at: 'timestamptz', attempts: 'int', outcome_known: 'boolean' } as const;

type ChangeColumn = keyof typeof changeColumns;
export type QueueColumn = 'id' | keyof typeof queueColumns;
type ResultColumn = ChangeColumn | QueueColumn;

/** The result of an attempt. Without `event`, the status does not change; without `due_at`, the message leaves the queue. */
export interface ResultRow extends Partial<StatusChange> {
  id: string;
  due_at?: Timestamp;
  attempts?: number;
  outcome_known?: boolean;
  /** The domain that the email was sent from; unset for that of the installation. */
  sending_domain_id?: string;
}

const declared = (types: Record<string, string>) =>
  sql.raw(
    Object.entries(types)
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  );
const declaredChange = declared(changeColumns);
const declaredResult = declared({ ...changeColumns, ...queueColumns });

/** The requested changes. Their ids must be distinct. */
export function wantedChanges(statement: Statement, changes: StatusChange[]): Cte<ChangeColumn> {
  return statement.with(
    'wanted',
    sql`select * from json_to_recordset(${JSON.stringify(changes)}::json) as w (${declaredChange})`,
  );
}

/** Results of messages whose lease the worker still holds. */
export function heldResults(statement: Statement, worker: string, rows: ResultRow[]): Cte<ResultColumn> {
  const ids = rows.map(({ id }) => id);
  const result = statement.with<ResultColumn>(
    'result',
    sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (${declaredResult})`,
  );
  return statement.with(
    'held',
    sql`select r.* from ${result} r join delivery_queue q on q.notification_id = r.id
      where q.notification_id = any (${ids}::uuid[]) and q.leased_by = ${worker}`,
  );
}

/** Results that change a status. */
export function wantedOf(statement: Statement, held: Cte<ResultColumn>): Cte<ResultColumn> {
  return statement.with('wanted', sql`select * from ${held} where event is not null`);
}

/** Results that can be recorded now: those that change no status, and those whose message no other transaction has locked. */
export function recordableOf(
  statement: Statement,
  { held, before }: { held: Cte<ResultColumn>; before: Cte<ResultColumn> },
): Cte<QueueColumn> {
  const columns = sql`id, due_at, attempts, outcome_known`;
  return statement.with(
    'recordable',
    sql`select ${columns} from ${before} union all select ${columns} from ${held} where event is null`,
  );
}

export const rollupDay = oncePer((calendar: Calendar) => localDay(calendar, 'created_at'));

/**
 * Billable statuses: `billable_units` counts only in these. An email to a suppressed recipient, or a text to a number that opted out, was
 * not sent, so it has no provider.
 */
const isBillableIn = (
  status: RawBuilder<unknown>,
  provider: RawBuilder<unknown>,
) => sql`(key_type <> 'test' and case notification_type
  when 'sms' then ${status} in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure')
    or ${status} = 'permanent-failure' and ${provider} is not null
  when 'email' then ${status} in ('sending', 'delivered', 'temporary-failure')
    or ${status} = 'permanent-failure' and ${provider} is not null
  else ${status} in ('sending', 'delivered', 'returned-letter') end)`;

export const isBillable = isBillableIn(sql`status`, sql`provider`);

/** The key of a message's row in daily usage. */
export const usageKey = oncePer(
  (calendar: Calendar) => sql`${rollupDay(calendar)} as london_day, service_id, template_id, notification_type,
  coalesce(provider, 'unknown') as provider,
  case when notification_type = 'email' then 0 else rate_multiplier end as rate_multiplier,
  international, coalesce(postage, 'none') as postage,
  case when notification_type = 'letter' then billable_units else 0 end as sheets`,
);

const listed = (statuses: readonly Status[]) => sql.join(statuses.map((status) => sql.lit(status)));

/** Whether a hand-over is recorded after its receipt. */
const isLate = sql`(w.event = 'handedOver' and n.status in (${listed(transitions.handedOverLate)}))`;

const mayChange = sql`(${isLate} or case w.event ${sql.join(
  Object.entries(transitions).map(
    ([event, statuses]) => sql`when ${sql.lit(event)} then n.status in (${listed(statuses)})`,
  ),
  sql` `,
)} end)`;

type ChangedColumn =
  | 'id'
  | 'created_at'
  | 'service_id'
  | 'template_id'
  | 'template_version'
  | 'language'
  | 'notification_type'
  | 'key_type'
  | 'status'
  | 'provider'
  | 'client_reference'
  | 'recipient'
  | 'sent_at'
  | 'updated_at'
  | 'made_by'
  | 'blames_sender'
  | 'sending_domain_id'
  | 'previous_status'
  | 'previous_sent_at';

const sides = sql`created_at, service_id, template_id, notification_type, key_type, rate_multiplier`;

/**
 * Changes statuses, both rollups and the outcomes of emails; `after` holds the changed rows. Skips disallowed transitions, so a repeated or
 * late receipt does nothing. Locks rows in id order, so that two such statements cannot deadlock. With `skipsLocked`, a row that another
 * transaction has locked is left out of `before` instead of waited for, so that it does not delay the others.
 *
 * The condition on each array looks redundant. A plan is made while the partition of a new day is nearly empty, and stays cached while it
 * fills up: with only the joins, it would read all rows of the day.
 */
export function changeStatuses<More extends string = never>(
  calendar: Calendar,
  statement: Statement,
  wanted: Cte<ChangeColumn | More>,
  now: Timestamp,
  { skipsLocked = false } = {},
): { before: Cte<ChangeColumn | More>; after: Cte<ChangedColumn> } {
  const before = statement.with<ChangeColumn | More>(
    'before',
    sql`select w.*, n.status as previous_status, n.provider as previous_provider, n.billable_units as previous_units,
        n.postage as previous_postage, n.international as previous_international, n.sent_at as previous_sent_at,
        case when not ${isLate} then w.status end as next_status, ${mayChange} as may_change
      from notifications n join ${wanted} w on w.id = n.id
      where n.id = any (array(select id from ${wanted}))
      order by n.id for update of n${skipsLocked ? sql` skip locked` : sql``}`,
  );
  const after = statement.with<ChangedColumn>(
    'after',
    sql`update notifications n set
        status = coalesce(w.next_status, n.status),
        updated_at = case when w.next_status is null then n.updated_at else ${now} end,
        provider = coalesce(w.provider, n.provider),
        provider_reference = coalesce(w.provider_reference, n.provider_reference),
        billable_units = coalesce(w.billable_units, n.billable_units),
        sent_at = coalesce(w.sent_at, n.sent_at),
        postage = coalesce(w.postage, n.postage),
        international = coalesce(w.international, n.international),
        recipient = coalesce(w.recipient, n.recipient),
        normalised_recipient = coalesce(w.normalised_recipient, n.normalised_recipient)
      from ${before} w where n.id = w.id and w.may_change and n.id = any (array(select id from ${before} where may_change))
      returning n.id, n.created_at, n.service_id, n.template_id, n.template_version, n.language, n.notification_type, n.key_type,
        n.rate_multiplier, n.status, n.provider, n.billable_units, n.postage, n.international, n.client_reference,
        n.recipient, n.sent_at, n.updated_at, n.job_id, w.event as made_by, w.blames_sender, w.sending_domain_id, w.previous_sent_at, w.previous_status, w.previous_provider, w.previous_units,
        w.previous_postage, w.previous_international`,
  );
  statement.with(
    'counted',
    sql`insert into status_count_changes
        (london_day, service_id, template_id, notification_type, key_type, previous_status, status, job_id, change)
      select ${rollupDay(calendar)}, service_id, template_id, notification_type, key_type, previous_status, status, job_id, count(*)
      from ${after}
      where status <> previous_status
      group by 1, 2, 3, 4, 5, 6, 7, 8`,
  );
  const recharged = statement.with(
    'recharged',
    sql`select * from ${after}
      where (${isBillable}, provider, billable_units, postage, international) is distinct from
        (${isBillableIn(sql`previous_status`, sql`previous_provider`)}, previous_provider, previous_units, previous_postage, previous_international)`,
  );
  const bothSides = statement.with(
    'both_sides',
    sql`select ${sides}, status, provider, billable_units, postage, international, 1 as change from ${recharged}
      union all
      select ${sides}, previous_status, previous_provider, previous_units, previous_postage, previous_international, -1
      from ${recharged}`,
  );
  statement.with(
    'charged',
    sql`insert into usage_changes (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
        international, postage, sheets, billable_units, notifications_sent)
      select ${usageKey(calendar)}, sum(change * case when notification_type = 'email' then 0 else billable_units end), sum(change)
      from ${bothSides}
      where ${isBillable}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(change) <> 0 or sum(change * billable_units) <> 0`,
  );
  countEmailOutcomes(statement, after);
  recordChangedSteps(statement, after);
  return { before, after };
}

/** The columns of `ChangedNotification`. */
export function selectChanged(after: Cte<keyof ChangedNotification>): RawBuilder<unknown> {
  return sql`select id, service_id, notification_type, key_type, previous_status, status, provider, created_at, sent_at
    from ${after}`;
}

/**
 * Deletes or reschedules the queue entries of results. Runs after the status change, which locks rows of notifications first, as receipts
 * do, so that the two cannot deadlock.
 */
export function changeQueueRows(
  statement: Statement,
  { recordable, after }: { recordable: Cte<QueueColumn>; after: Cte<'id'> },
  worker: string,
): void {
  const isHeld = sql`q.leased_by = ${worker} and (select count(*) from ${after}) >= 0`;
  statement.with(
    'gone',
    sql`delete from delivery_queue q
      where q.notification_id = any (array(select id from ${recordable} where due_at is null)) and ${isHeld}`,
  );
  statement.with(
    'requeued',
    sql`update delivery_queue q
      set due_at = r.due_at, attempts = r.attempts, outcome_known = r.outcome_known, leased_by = null
      from ${recordable} r
      where q.notification_id = any (array(select id from ${recordable} where due_at is not null))
        and q.notification_id = r.id and r.due_at is not null and ${isHeld}`,
  );
}

/** Makes a message due now if its receipt came before the hand-over, and stores whether the receiver blames the sender until then. */
export function makeQueueRowsDue(
  statement: Statement,
  after: Cte<'id' | 'sent_at' | 'blames_sender'>,
  now: Timestamp,
): void {
  statement.with(
    'brought_forward',
    sql`update delivery_queue q set due_at = least(q.due_at, ${now}::timestamptz), blames_sender = a.blames_sender
      from ${after} a
      where q.notification_id = any (array(select id from ${after} where sent_at is null)) and q.notification_id = a.id`,
  );
}

/** Stores the failed attempts whose result counts. */
export function keepFailures(
  statement: Statement,
  held: Cte<'id'>,
  rows: FailedAttemptRow[],
): Cte<'notification_id' | 'reason'> {
  return statement.with(
    'kept_failures',
    sql`insert into failed_attempts
        (notification_id, attempt, provider, outcome, reason, duration_ms, failed_at, retry_at)
      select f.* from json_to_recordset(${JSON.stringify(rows)}::json) as f (notification_id uuid, attempt int,
        provider text, outcome text, reason text, duration_ms int, failed_at timestamptz, retry_at timestamptz)
      join ${held} on ${held}.id = f.notification_id
      on conflict (notification_id, attempt) do nothing
      returning notification_id, reason`,
  );
}

export async function updateStatuses(
  calendar: Calendar,
  db: Db | Tx,
  changes: StatusChange[],
  now: Timestamp,
): Promise<ChangedNotification[]> {
  const statement = new Statement();
  const { after } = changeStatuses(calendar, statement, wantedChanges(statement, changes), now);
  const { rows } = await statement.prepared<ChangedNotification>('status-changes', selectChanged(after)).execute(db);
  return rows;
}
