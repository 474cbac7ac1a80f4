import { type RawBuilder, sql } from 'kysely';
import type { KeyType } from '../../auth/api-keys.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { Status } from '../notification.ts';

/** A message in lists and reports: who got what, when and from whom, but not its text. */
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
  /** From 0. */
  job_row_number: number | null;
  status: Status;
  provider: string | null;
  created_at: Timestamp;
  api_key_name: string | null;
}

/** Where a message comes from: an API key, a person in the front end, or a file. */
export type Origin = 'key' | 'person' | 'file';

/** Undefined stands for all. */
export interface MessageFilter {
  types?: readonly Channel[] | undefined;
  statuses?: readonly Status[] | undefined;
  key_types?: readonly KeyType[] | undefined;
  template_ids?: readonly string[] | undefined;
  origin?: Origin | undefined;
  /** Part of the normalised recipient. */
  recipient?: string | undefined;
  client_reference?: string | undefined;
  /** Part of the recipient or of the reference, or one of these files. */
  words?: { recipient: string; reference: string; job_ids: readonly string[] } | undefined;
  /** The smallest id that is kept, by channel. */
  kept_from?: Readonly<Record<Channel, string>> | undefined;
}

interface Range {
  first_id: string;
  end_id: string;
}

const readColumns = sql`n.id, n.service_id, n.template_id, n.template_version, n.notification_type, n.key_type, n.status,
  n.client_reference, n.recipient, n.normalised_recipient, n.provider, n.created_at, n.api_key_id, n.created_by_id,
  n.job_id, n.job_row_number`;

/**
 * Reads a number of messages of a service, whatever they are, from one end of the range, and returns those that match: a
 * rare status never makes a statement slow. `next` is the last id that was read; null at the end. At most `max` are returned: then
 * some that were read may be missing, and the next page begins with them.
 */
export async function selectMessageRows(
  db: Db,
  serviceId: string,
  filter: MessageFilter,
  range: Range,
  { size, order = 'desc', max = size }: { size: number; order?: 'asc' | 'desc'; max?: number },
): Promise<{ rows: MessageRow[]; next: string | null }> {
  const direction = order === 'desc' ? sql`desc` : sql`asc`;
  // Single messages and those of jobs have an index each.
  const parts = [sql`n.job_id is null`, sql`n.job_id is not null`].map(
    (part) => sql`(select ${readColumns} from notifications n
      where n.service_id = ${serviceId} and n.id >= ${range.first_id} and n.id < ${range.end_id} and ${part}
        and ${ofReference(filter)}
      order by n.id ${direction} limit ${size})`,
  );
  const { rows } = await sql<MessageRow & { next: string | null }>`
    with scanned as materialized (
      select * from (${sql.join(parts, sql` union all `)}) n order by n.id ${direction} limit ${size}
    )
    select ends.next, matching.* from (
      select case when count(*) = ${size} then ${order === 'desc' ? sql`min(id::text)` : sql`max(id::text)`} end as next
      from scanned
    ) ends
    left join lateral (
      select n.id, coalesce(uploaded.file_id, n.id) as shown_id, n.notification_type, n.recipient, n.client_reference,
        template.name as template_name, n.template_version, users.name as created_by_name,
        users.email_address as created_by_email_address, jobs.original_file_name as job_name, n.job_row_number, n.status,
        n.provider, n.created_at, api_keys.name as api_key_name
      from scanned n
      join templates_history template on template.id = n.template_id and template.version = n.template_version
      left join uploaded_letters uploaded on uploaded.notification_id = n.id
      left join jobs on jobs.id = n.job_id
      left join users on users.id = n.created_by_id
      left join api_keys on api_keys.id = n.api_key_id
      where ${sql.join(conditionsOf(filter), sql` and `)}
      order by n.id ${direction} limit ${max}
    ) matching on true
    order by matching.id ${direction}`.execute(db);
  return { rows: rows.filter(({ id }) => id !== null), next: rows[0]?.next ?? null };
}

/** It has an index, on a prefix: a whole reference may exceed the max size of an index entry. */
function ofReference({ client_reference }: MessageFilter): RawBuilder<unknown> {
  if (client_reference === undefined) return sql`true`;
  return sql`left(n.client_reference, 200) = left(${client_reference}, 200) and n.client_reference = ${client_reference}`;
}

const origins: Record<Origin, RawBuilder<unknown>> = {
  key: sql`n.api_key_id is not null`,
  person: sql`n.created_by_id is not null and n.job_id is null`,
  file: sql`n.job_id is not null`,
};

function conditionsOf(filter: MessageFilter): RawBuilder<unknown>[] {
  const { types, statuses, key_types, template_ids, origin, recipient, words, kept_from } = filter;
  const conditions = [sql`true`];
  if (types) conditions.push(sql`n.notification_type = any (${[...types]}::text[])`);
  if (statuses) conditions.push(sql`n.status = any (${[...statuses]}::text[])`);
  if (key_types) conditions.push(sql`n.key_type = any (${[...key_types]}::text[])`);
  if (template_ids) conditions.push(sql`n.template_id = any (${[...template_ids]}::uuid[])`);
  if (origin) conditions.push(origins[origin]);
  if (recipient !== undefined) conditions.push(containsRecipient(recipient));
  if (words) {
    conditions.push(sql`(${containsRecipient(words.recipient)} or n.client_reference ilike ${likeContains(words.reference)}
      or n.job_id = any (${[...words.job_ids]}::uuid[]))`);
  }
  if (kept_from) {
    const { email, sms, letter } = kept_from;
    conditions.push(sql`n.id >= case n.notification_type when 'email' then ${email}::uuid when 'sms' then ${sms}::uuid
      else ${letter}::uuid end`);
  }
  return conditions;
}

function containsRecipient(text: string): RawBuilder<unknown> {
  return sql`coalesce(n.normalised_recipient, n.recipient) ilike ${likeContains(text)}`;
}
