import { type RawBuilder, sql } from 'kysely';
import type { KeyType } from '../../auth/api-keys.ts';
import { addDays, londonInstant } from '../../platform/calendar.ts';
import { earlier, hour_ms, later, type Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Channel } from '../../protocol/channels.ts';
import { type Postage, type Status, statuses } from '../notification.ts';
import { selectUploadedLetter } from '../one-off/uploaded-letters.sql.ts';

export interface StoredNotification {
  id: string;
  /** The public id, which may differ for an uploaded letter. */
  shown_id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  notification_type: Channel;
  key_type: KeyType;
  status: Status;
  client_reference: string | null;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
  reply_to_text: string | null;
  postage: Postage | null;
  international: boolean;
  rate_multiplier: number;
  billable_units: number;
  provider: string | null;
  provider_reference: string | null;
  one_click_unsubscribe_url: string | null;
  /** Null if it links to no file. */
  document_download_count: number | null;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  updated_at: Timestamp | null;
  api_key_id: string | null;
  job_id: string | null;
  /** From 0. */
  job_row_number: number | null;
  job_name: string | null;
  created_by_id: string | null;
  created_by_name: string | null;
  created_by_email_address: string | null;
  key_name: string | null;
  /** Whether the current template hides personalisation. */
  redact_personalisation: boolean;
  /** Rate per fragment, or of this letter, on the day of acceptance. */
  rate: string | null;
  /** Exact decimal. */
  cost: string | null;
}

export interface NotificationFilter {
  statuses?: readonly Status[];
  types?: readonly Channel[];
  key_types?: readonly KeyType[];
  client_reference?: string;
  /** Excludes single messages sent from the front end. */
  without_one_off?: boolean;
  without_jobs?: boolean;
  job_id?: string;
  /** Matches part of the normalised recipient or of the client reference. */
  search?: { recipient: string; reference: string };
  created_since?: Timestamp;
  older_than?: string;
}

/** Finds a notification by its stored id, else by its public id. */
export async function selectNotification(
  db: Db,
  serviceId: string,
  notificationId: string,
): Promise<StoredNotification | undefined> {
  const found = await selectStored(db, serviceId, notificationId);
  if (found) return found;
  const stored_id = await selectUploadedLetter(db, serviceId, notificationId);
  return stored_id === undefined ? undefined : selectStored(db, serviceId, stored_id);
}

async function selectStored(
  db: Db,
  serviceId: string,
  notificationId: string,
): Promise<StoredNotification | undefined> {
  const which = sql`n.service_id = ${serviceId} and n.id = ${notificationId}`;
  const { rows } = await selectRows(sql`(select * from notifications n where ${which})`, sql`n.id`).execute(db);
  return rows[0];
}

/**
 * Newest first. Ids ascend with time, so a page after `older_than` is a range of an index (service_id, id): any page costs
 * the same. An `older_than` that is not a notification of the service matches nothing.
 */
export async function selectNotifications(
  db: Db,
  serviceId: string,
  filter: NotificationFilter,
  page: Page,
): Promise<StoredNotification[]> {
  const { job_id, without_jobs } = filter;
  if (job_id !== undefined) return without_jobs ? [] : selectOfJob(db, serviceId, { ...filter, job_id }, page, 'desc');
  const older_than =
    filter.older_than && ((await selectUploadedLetter(db, serviceId, filter.older_than)) ?? filter.older_than);
  const conditions = [sql`n.service_id = ${serviceId}`, ...conditionsOf(serviceId, { ...filter, older_than })];
  if (filter.statuses) {
    const days = await selectIdRange(db, serviceId, { ...filter, statuses: filter.statuses });
    if (days === undefined) return [];
    conditions.push(sql`n.id >= ${days.first_id} and n.id < ${days.end_id}`);
  }
  const skip = page.skip ?? 0;
  // Single messages and those of jobs have an index each; the server merges what it reads from both.
  const parts = [sql`n.job_id is null`, ...(without_jobs ? [] : [sql`n.job_id is not null`])].map(
    (part) => sql`(select * from notifications n where ${sql.join([...conditions, part], sql` and `)}
      order by n.id desc limit ${skip + page.size})`,
  );
  const found = sql`(select * from (${sql.join(parts, sql` union all `)}) n
    order by n.id desc limit ${page.size} offset ${skip})`;
  const { rows } = await selectRows(found, sql`n.id desc`).execute(db);
  return rows;
}

export interface Page {
  size: number;
  skip?: number;
}

/**
 * By row number, which ascends like the ids of a job. Ids of messages follow the creation of their job, so that older
 * partitions are not read.
 */
export async function selectOfJob(
  db: Db,
  serviceId: string,
  filter: NotificationFilter & { job_id: string },
  page: Page,
  direction: 'asc' | 'desc',
): Promise<StoredNotification[]> {
  const job = await db
    .selectFrom('jobs')
    .select('created_at')
    .where('id', '=', filter.job_id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (!job) return [];
  const conditions = [
    sql`n.job_id = ${filter.job_id} and n.service_id = ${serviceId}`,
    sql`n.id >= ${firstIdAt(earlier(new Date(job.created_at), hour_ms))}`,
    ...conditionsOf(serviceId, filter),
  ];
  const order = sql`n.job_row_number ${sql.raw(direction)}`;
  const found = sql`(select * from notifications n where ${sql.join(conditions, sql` and `)}
    order by ${order} limit ${page.size} offset ${page.skip ?? 0})`;
  const { rows } = await selectRows(found, order).execute(db);
  return rows;
}

/** Longer than any letter is in transit: an unfinished message outlives the retention of its service. */
const maxLifetimeDays = 90;

/**
 * Returns the id range of all messages with these statuses, from the statistics, so that a rare status does not scan all
 * messages. Undefined if there is no such message.
 */
export async function selectIdRange(
  db: Db,
  serviceId: string,
  { statuses, types, key_types }: NotificationFilter & { statuses: readonly Status[] },
): Promise<{ first_id: string; end_id: string } | undefined> {
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values ? sql`c.${sql.ref(column)} = any (${[...values]}::text[])` : sql`true`;
  const { rows } = await sql<{ first_day: string | null; last_day: string | null }>`
    with last as (
      select max(london_day) as day from status_counts where service_id = ${serviceId}
    ), kept as (
      select coalesce(max(days_of_retention), 0) + ${maxLifetimeDays}::integer as days
      from service_data_retention where service_id = ${serviceId}
    )
    select min(c.london_day) as first_day, max(c.london_day) as last_day
    from last cross join kept join status_counts c on c.service_id = ${serviceId} and c.london_day >= last.day - kept.days
    where c.count <> 0 and ${oneOf('status', statuses)} and ${oneOf('notification_type', types)}
      and ${oneOf('key_type', key_types)}`.execute(db);
  const { first_day, last_day } = rows[0] ?? {};
  if (!first_day || !last_day) return undefined;
  // Ids are created within moments of acceptance; an hour is more than enough.
  return {
    first_id: firstIdAt(earlier(londonInstant(first_day), hour_ms)),
    end_id: firstIdAt(later(londonInstant(addDays(last_day, 1)), hour_ms)),
  };
}

function conditionsOf(serviceId: string, filter: NotificationFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.statuses) conditions.push(sql`n.status = any (${[...filter.statuses]}::text[])`);
  if (filter.types) conditions.push(sql`n.notification_type = any (${[...filter.types]}::text[])`);
  if (filter.key_types) conditions.push(sql`n.key_type = any (${[...filter.key_types]}::text[])`);
  if (filter.client_reference !== undefined) {
    // The index covers only a prefix: a whole reference may exceed the max size of an index entry.
    conditions.push(sql`left(n.client_reference, 200) = left(${filter.client_reference}, 200)
      and n.client_reference = ${filter.client_reference}`);
  }
  if (filter.without_one_off) conditions.push(sql`(n.created_by_id is null or n.job_id is not null)`);
  if (filter.created_since) conditions.push(sql`n.created_at >= ${filter.created_since}`);
  if (filter.search) {
    const { recipient, reference } = filter.search;
    conditions.push(sql`(coalesce(n.normalised_recipient, n.recipient) ilike ${likeContains(recipient)}
      or n.client_reference ilike ${likeContains(reference)})`);
  }
  if (filter.older_than !== undefined) {
    conditions.push(sql`n.id < (select older.id from notifications older
      where older.id = ${filter.older_than} and older.service_id = ${serviceId})`);
  }
  return conditions;
}

/** The newest rate in effect at acceptance, else the first rate. */
const rate = sql`case n.notification_type
  when 'sms' then (
    select r.rate from sms_rates r order by r.valid_from > n.created_at, abs(extract(epoch from r.valid_from - n.created_at))
    limit 1)
  when 'letter' then (
    select r.rate from letter_rates r where r.post_class = n.postage and r.sheet_count = n.billable_units
    order by r.start_date > n.created_at, abs(extract(epoch from r.start_date - n.created_at)) limit 1)
  end`;

export function selectRows(found: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<StoredNotification> {
  return sql<StoredNotification>`
    select n.id, coalesce(uploaded.file_id, n.id) as shown_id, n.service_id, n.template_id, n.template_version, n.notification_type, n.key_type, n.status,
      n.client_reference, n.recipient, n.normalised_recipient, n.personalisation, n.secret_personalisation, n.reply_to_text, n.postage, n.international, n.rate_multiplier,
      n.billable_units, n.provider, n.provider_reference, n.one_click_unsubscribe_url,
      n.document_download_count, n.scheduled_for, n.created_at,
      n.sent_at, n.updated_at, n.api_key_id, n.job_id, n.job_row_number, jobs.original_file_name as job_name,
      n.created_by_id, users.name as created_by_name,
      users.email_address as created_by_email_address, api_keys.name as key_name,
      coalesce(templates.redact_personalisation, false) as redact_personalisation, price.rate,
      case when n.notification_type = 'sms' then price.rate * n.billable_units * n.rate_multiplier else price.rate end as cost
    from ${found} n
    left join uploaded_letters uploaded on uploaded.notification_id = n.id
    left join jobs on jobs.id = n.job_id
    left join users on users.id = n.created_by_id
    left join api_keys on api_keys.id = n.api_key_id
    left join templates on templates.id = n.template_id
    cross join lateral (select ${rate} as rate) price
    order by ${order}`;
}

/** Each status has its own column in the totals of a service. */
const inAnyStatus = sql.raw(statuses.map((status) => status.replaceAll('-', '_')).join(' + '));

/** Counts by the totals of days, and the counts not yet folded into them: a few rows a day, however much a service sends. */
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
