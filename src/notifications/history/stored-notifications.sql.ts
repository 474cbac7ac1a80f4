import { type RawBuilder, sql } from 'kysely';
import { earlier, hour_ms, type Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import { type Status, statuses } from '../notification.ts';
import { selectUploadedLetter } from '../one-off/one-off.sql.ts';
import { conditionsOf, type MessageFilter, ofReference } from './message-rows.sql.ts';

export interface StoredNotification {
  id: string;
  /** The public id, which may differ for an uploaded letter. */
  shown_id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  /** Null for the template's own text. */
  language: string | null;
  notification_type: Channel;
  key_type: KeyType;
  status: Status;
  client_reference: string | null;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
  reply_to_text: string | null;
  postage: string | null;
  international: boolean;
  rate_multiplier: number;
  billable_units: number;
  provider: string | null;
  provider_reference: string | null;
  one_click_unsubscribe_url: string | null;
  /** Null if the message has no links to files. */
  document_download_count: number | null;
  scheduled_for: Timestamp | null;
  /** The start of the sending time that it waits for; null if it does not wait. */
  held_until: Timestamp | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  updated_at: Timestamp | null;
  api_key_id: string | null;
  job_id: string | null;
  /** Zero-based. */
  job_row_number: number | null;
  job_name: string | null;
  created_by_id: string | null;
  created_by_name: string | null;
  created_by_email_address: string | null;
  key_name: string | null;
  /** Whether the current template hides personalisation. */
  redact_personalisation: boolean;
}

export interface PricedNotification extends StoredNotification {
  /** Rate per fragment, or of this letter, on the day of acceptance. */
  rate: string | null;
  /** Exact decimal. */
  cost: string | null;
  /** Whether any rates abroad were configured at acceptance. */
  had_rates_abroad: boolean;
  /** The channel plan message that this is a step of; null without a plan. */
  message_id: string | null;
  /** Why the message failed, in the words of the provider: from its receipt, or else from the last attempt to hand it over. */
  provider_response: string | null;
}

/** Finds a notification by its stored id, or else by its public id. */
export async function selectNotification(
  db: Db,
  serviceId: string,
  notificationId: string,
): Promise<PricedNotification | undefined> {
  const found = await selectStored(db, serviceId, notificationId);
  if (found) return found;
  const stored_id = await selectUploadedLetter(db, serviceId, notificationId);
  return stored_id === undefined ? undefined : selectStored(db, serviceId, stored_id);
}

async function selectStored(
  db: Db,
  serviceId: string,
  notificationId: string,
): Promise<PricedNotification | undefined> {
  const which = sql`n.service_id = ${serviceId} and n.id = ${notificationId}`;
  const { rows } = await selectPricedRows(sql`(select * from notifications n where ${which})`, sql`n.id`).execute(db);
  return rows[0];
}

/** Finds the stored id of a notification of the service by its stored or public id. */
export async function selectStoredId(db: Db, serviceId: string, notificationId: string): Promise<string | undefined> {
  const id = (await selectUploadedLetter(db, serviceId, notificationId)) ?? notificationId;
  const found = db.selectFrom('notifications').select('id').where('id', '=', id).where('service_id', '=', serviceId);
  return (await found.executeTakeFirst())?.id;
}

const withIds = (ids: readonly string[]) => sql`(select * from notifications n where n.id = any (${[...ids]}::uuid[]))`;

export async function selectNotificationsById(
  db: Db,
  ids: readonly string[],
  order: 'asc' | 'desc' = 'desc',
): Promise<StoredNotification[]> {
  if (ids.length === 0) return [];
  const { rows } = await selectRows<StoredNotification>(withIds(ids), sql`n.id ${sql.raw(order)}`).execute(db);
  return rows;
}

/** Newest first. */
export async function selectPricedNotifications(db: Db, ids: readonly string[]): Promise<PricedNotification[]> {
  if (ids.length === 0) return [];
  const { rows } = await selectPricedRows(withIds(ids), sql`n.id desc`).execute(db);
  return rows;
}

export interface Page {
  size: number;
  skip?: number;
}

/**
 * Selects ids in row order, which is also their id order. A message id is later than the creation of its job, so older partitions are not
 * read.
 */
export async function selectIdsOfJob(
  db: Db,
  serviceId: string,
  { job_id, older_than, ...filter }: MessageFilter & { job_id: string; older_than?: string | undefined },
  page: Page,
  direction: 'asc' | 'desc',
): Promise<string[]> {
  const job = await db
    .selectFrom('jobs')
    .select('created_at')
    .where('id', '=', job_id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (!job) return [];
  const conditions = [
    sql`n.job_id = ${job_id} and n.service_id = ${serviceId}`,
    sql`n.id >= ${firstIdAt(earlier(new Date(job.created_at), hour_ms))}`,
    ofReference(filter),
    ...conditionsOf(filter),
    ...(older_than === undefined ? [] : [sql`n.id < ${older_than}`]),
  ];
  const { rows } = await sql<{ id: string }>`
    select n.id from notifications n where ${sql.join(conditions, sql` and `)}
    order by n.job_row_number ${sql.raw(direction)} limit ${page.size} offset ${page.skip ?? 0}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The newest rate in effect at acceptance, or else the first rate. */
const rate = sql`case n.notification_type
  when 'sms' then (
    select r.rate from sms_rates r order by r.valid_from > n.created_at, abs(extract(epoch from r.valid_from - n.created_at))
    limit 1)
  when 'letter' then (
    select r.rate from letter_rates r where r.post_class = n.postage and r.sheet_count = n.billable_units
    order by r.start_date > n.created_at, abs(extract(epoch from r.start_date - n.created_at)) limit 1)
  end`;

/** Includes the price. Looking up the rate takes longer than the rest, so lists without costs do not use it. */
function selectPricedRows(found: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<PricedNotification> {
  return selectRows<PricedNotification>(found, order, {
    columns: sql`, price.rate,
      case when n.notification_type = 'sms' then price.rate * n.billable_units * n.rate_multiplier else price.rate end as cost,
      n.international and exists (select from rates_abroad a where a.valid_from <= n.created_at) as had_rates_abroad,
      (select s.message_id from plan_steps s where s.notification_id = n.id) as message_id,
      case when n.status like '%-failure' then (
        select f.reason from failed_attempts f
        where f.notification_id = n.id and (n.sent_at is null or f.outcome = 'reported') order by f.attempt desc limit 1
      ) end as provider_response`,
    join: sql`cross join lateral (select ${rate} as rate) price`,
  });
}

export function selectRows<Row = StoredNotification>(
  found: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  price: { columns: RawBuilder<unknown>; join: RawBuilder<unknown> } = { columns: sql``, join: sql`` },
): RawBuilder<Row> {
  return sql<Row>`
    select n.id, coalesce(uploaded.file_id, n.id) as shown_id, n.service_id, n.template_id, n.template_version, n.language, n.notification_type, n.key_type, n.status,
      n.client_reference, n.recipient, n.normalised_recipient, n.personalisation, n.secret_personalisation, n.reply_to_text, n.postage, n.international, n.rate_multiplier,
      n.billable_units, n.provider, n.provider_reference, n.one_click_unsubscribe_url,
      n.document_download_count, n.scheduled_for, n.created_at,
      case when n.status = 'created' and n.scheduled_for is not null then
        (select h.held_until from held_messages h where h.notification_id = n.id)
      end as held_until,
      n.sent_at, n.updated_at, n.api_key_id, n.job_id, n.job_row_number, jobs.original_file_name as job_name,
      n.created_by_id, users.name as created_by_name,
      users.email_address as created_by_email_address, api_keys.name as key_name,
      coalesce(templates.redact_personalisation, false) as redact_personalisation${price.columns}
    from ${found} n
    left join uploaded_letters uploaded on uploaded.notification_id = n.id
    left join jobs on jobs.id = n.job_id
    left join users on users.id = n.created_by_id
    left join api_keys on api_keys.id = n.api_key_id
    left join templates on templates.id = n.template_id
    ${price.join}
    order by ${order}`;
}

/** Each status has its own column in the totals of a service. */
const inAnyStatus = sql.raw(statuses.map((status) => status.replaceAll('-', '_')).join(' + '));

/** Counts from daily totals and from counts not yet folded into them: a few rows a day, regardless of volume. */
export async function countSentNotifications(
  db: Db,
  serviceId: string,
  since: { london_day: string },
  type?: Channel,
): Promise<number> {
  const ofService = sql`service_id = ${serviceId}
    and ${type === undefined ? sql`true` : sql`notification_type = ${type}`}`;
  const { rows } = await sql<{ count: number }>`
    select total(count) as count from (
      select ${inAnyStatus} as count from service_status_spans
      where ${ofService} and span = 'day' and first_day >= ${since.london_day} and not of_test_keys
      union all
      select count - folded_count from status_counts
      where ${ofService} and london_day >= ${since.london_day} and key_type <> 'test' and not folded
    ) as counted`.execute(db);
  return rows[0]?.count ?? 0;
}
