import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import type { Status } from '../notification.ts';

/** A message in lists and reports: recipient, template, times and sender, but not its text. */
export interface MessageRow {
  id: string;
  /** The public id, which may differ for an uploaded letter. */
  shown_id: string;
  notification_type: Channel;
  recipient: string;
  client_reference: string | null;
  template_name: string;
  template_version: number;
  created_by_name: string | null;
  created_by_email_address: string | null;
  job_name: string | null;
  /** Zero-based. */
  job_row_number: number | null;
  status: Status;
  provider: string | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  api_key_name: string | null;
}

/** The origin of a message: an API key, a person in the front end, or a file. */
export type Origin = 'key' | 'person' | 'file';

/** An undefined field matches all messages. */
export interface MessageFilter {
  types?: readonly Channel[] | undefined;
  statuses?: readonly Status[] | undefined;
  key_types?: readonly KeyType[] | undefined;
  template_ids?: readonly string[] | undefined;
  origin?: Origin | undefined;
  job_id?: string | undefined;
  /** Excludes single messages sent from the front end. */
  without_one_off?: boolean | undefined;
  without_jobs?: boolean | undefined;
  /** Part of the normalised recipient. */
  recipient?: string | undefined;
  client_reference?: string | undefined;
  /** Part of the recipient or of the reference, or one of these files. */
  words?: { recipient: string; reference: string; job_ids: readonly string[] } | undefined;
  created_since?: Timestamp | undefined;
  /** The smallest id within retention, by channel. */
  kept_from?: Readonly<Record<Channel, string>> | undefined;
}

export interface IdRange {
  first_id: string;
  end_id: string;
}

interface SliceOptions {
  size: number;
  order: 'asc' | 'desc';
  /** Continues after this id. */
  after?: string | undefined;
  /** How many matches to skip, and the maximum number to return. */
  skip: number;
  max: number;
}

interface Slice {
  ids: string[];
  /** The number of matches, and of messages read. */
  matching: number;
  read: number;
  /** The last id that was read. */
  last: string | null;
}

const readColumns = sql`n.id, n.template_id, n.notification_type, n.key_type, n.status, n.client_reference, n.recipient,
  n.normalised_recipient, n.created_at, n.api_key_id, n.created_by_id, n.job_id`;

/**
 * Reads a fixed number of messages of a service, matching or not, from one end of the range, and returns the matches. So a rare status
 * never makes a statement slow.
 */
export async function selectSlice(
  db: Db | Tx,
  serviceId: string,
  filter: MessageFilter,
  range: IdRange,
  { size, order, after, skip, max }: SliceOptions,
): Promise<Slice> {
  const direction = sql.raw(order);
  // A slice has no more matches than that, and a page number may exceed the range of an integer.
  const passed = Math.min(skip, size);
  const position = after === undefined ? sql`true` : sql`n.id ${order === 'desc' ? sql`<` : sql`>`} ${after}`;
  // Single messages and those of jobs have separate indexes; the server merges both.
  const wanted = [
    ...(filter.job_id === undefined ? [sql`n.job_id is null`] : []),
    ...(filter.without_jobs ? [] : [sql`n.job_id is not null`]),
  ];
  const parts = wanted.map(
    (part) => sql`(select ${readColumns} from notifications n
      where n.service_id = ${serviceId} and n.id >= ${range.first_id} and n.id < ${range.end_id} and ${position} and ${part}
        and ${ofReference(filter)}
      order by n.id ${direction} limit ${size})`,
  );
  const matches = sql.join(conditionsOf(filter), sql` and `);
  // Return the ids as one text: parsing an array of 10,000 ids takes the driver as long as reading their messages.
  const { rows } = await sql<Omit<Slice, 'ids'> & { ids: string | null }>`
    select array_to_string((array_agg(n.id order by n.id ${direction}) filter (where matches))[${passed + 1}::int : ${passed + max}::int], ',') as ids,
      count(*) filter (where matches)::int as matching, count(*)::int as read,
      (array_agg(n.id order by n.id ${direction}))[count(*)::int]::text as last
    from (
      select n.id, ${matches} as matches
      from (${sql.join(parts, sql` union all `)}) n order by n.id ${direction} limit ${size}
    ) n`.execute(db);
  const slice = rows[0] ?? { ids: null, matching: 0, read: 0, last: null };
  return { ...slice, ids: slice.ids ? slice.ids.split(',') : [] };
}

export async function selectMessageRows(
  db: Db,
  ids: readonly string[],
  order: 'asc' | 'desc' = 'desc',
): Promise<MessageRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<MessageRow>`
    select n.id, coalesce(uploaded.file_id, n.id) as shown_id, n.notification_type, n.recipient, n.client_reference,
      template.name as template_name, n.template_version, users.name as created_by_name,
      users.email_address as created_by_email_address, jobs.original_file_name as job_name, n.job_row_number, n.status,
      n.provider, n.created_at, n.sent_at, api_keys.name as api_key_name
    from notifications n
    join templates_history template on template.id = n.template_id and template.version = n.template_version
    left join uploaded_letters uploaded on uploaded.notification_id = n.id
    left join jobs on jobs.id = n.job_id
    left join users on users.id = n.created_by_id
    left join api_keys on api_keys.id = n.api_key_id
    where n.id = any (${[...ids]}::uuid[])
    order by n.id ${sql.raw(order)}`.execute(db);
  return rows;
}

/** Uses an index on a prefix, because a whole reference may exceed the maximum size of an index entry. */
export function ofReference({ client_reference }: MessageFilter): RawBuilder<unknown> {
  if (client_reference === undefined) return sql`true`;
  return sql`left(n.client_reference, 200) = left(${client_reference}, 200) and n.client_reference = ${client_reference}`;
}

const origins: Record<Origin, RawBuilder<unknown>> = {
  key: sql`n.api_key_id is not null`,
  person: sql`n.created_by_id is not null and n.job_id is null`,
  file: sql`n.job_id is not null`,
};

/** All conditions except the reference and `without_jobs`, which choose an index. */
export function conditionsOf(filter: MessageFilter): RawBuilder<unknown>[] {
  const { types, statuses, key_types, template_ids, origin, recipient, words, kept_from, created_since } = filter;
  const conditions = [sql`true`];
  if (types) conditions.push(sql`n.notification_type = any (${[...types]}::text[])`);
  if (statuses) conditions.push(sql`n.status = any (${[...statuses]}::text[])`);
  if (key_types) conditions.push(sql`n.key_type = any (${[...key_types]}::text[])`);
  if (template_ids) conditions.push(sql`n.template_id = any (${[...template_ids]}::uuid[])`);
  if (origin) conditions.push(origins[origin]);
  if (filter.job_id !== undefined) conditions.push(sql`n.job_id = ${filter.job_id}`);
  if (filter.without_one_off) conditions.push(sql`(n.created_by_id is null or n.job_id is not null)`);
  if (recipient !== undefined) conditions.push(containsRecipient(recipient));
  if (words) {
    conditions.push(sql`(${containsRecipient(words.recipient)}
      or n.client_reference ilike ${likeContains(words.reference)} or n.job_id = any (${[...words.job_ids]}::uuid[]))`);
  }
  if (created_since !== undefined) conditions.push(sql`n.created_at >= ${created_since}`);
  if (kept_from) {
    const { email, sms, letter } = kept_from;
    conditions.push(sql`n.id >= case n.notification_type when 'email' then ${email}::uuid when 'sms' then ${sms}::uuid
      else ${letter}::uuid end`);
  }
  return conditions;
}

/**
 * `text` is normalised. Ignoring case takes as long as reading the message, so this does it only for letters, which have no normalised
 * recipient.
 */
function containsRecipient(text: string): RawBuilder<unknown> {
  const pattern = likeContains(text);
  return sql`case when n.normalised_recipient is null then n.recipient ilike ${pattern} else n.normalised_recipient like ${pattern} end`;
}

/** More than any page can show. Without it, a search for a single character would need a statement with a million ids. */
const maxIds = 1_000;

/** Includes archived templates, because their messages are still stored. */
export async function selectTemplateIdsByName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('name', 'ilike', likeContains(text))
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}

/** The time range in which the messages of a file were created. The end is null until all have been created. */
export async function selectJobSpan(
  db: Db,
  serviceId: string,
  id: string,
): Promise<{ created_at: Timestamp; processing_finished: Timestamp | null } | undefined> {
  return db
    .selectFrom('jobs')
    .select(['created_at', 'processing_finished'])
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Selects the newest files whose name contains the text. */
export async function selectJobIdsByFileName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .where('original_file_name', 'ilike', likeContains(text))
    .orderBy('created_at', 'desc')
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}

/** Longer than any letter is in transit. An unfinished message outlives the retention of its service. */
const maxLifetimeDays = 90;

export interface DayCount {
  london_day: string;
  count: number;
}

/** Selects days on which messages of these statuses, types and key types were accepted, newest first, from the statistics. */
export async function selectMatchingDays(
  db: Db | Tx,
  serviceId: string,
  { statuses, types, key_types }: MessageFilter,
): Promise<DayCount[]> {
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values ? sql`c.${sql.ref(column)} = any (${[...values]}::text[])` : sql`true`;
  const { rows } = await sql<DayCount>`
    with last as (
      select max(london_day) as day from status_counts where service_id = ${serviceId}
    ), kept as (
      select coalesce(max(days_of_retention), 0) + ${maxLifetimeDays}::integer as days
      from service_data_retention where service_id = ${serviceId}
    )
    select c.london_day, sum(c.count)::integer as count
    from last cross join kept join status_counts c on c.service_id = ${serviceId} and c.london_day >= last.day - kept.days
    where ${oneOf('status', statuses)} and ${oneOf('notification_type', types)} and ${oneOf('key_type', key_types)}
    group by c.london_day having sum(c.count) > 0
    order by c.london_day desc`.execute(db);
  return rows;
}
