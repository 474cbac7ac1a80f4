import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { Status } from '../notification.ts';

export interface ReportedMessage {
  recipient: string;
  client_reference: string | null;
  template_name: string;
  created_by_name: string | null;
  created_by_email_address: string | null;
  job_name: string | null;
  status: Status;
  created_at: Timestamp;
  api_key_name: string | null;
}

export interface ReportFilter {
  notification_type: Channel;
  /** Undefined for all. */
  statuses: readonly Status[] | undefined;
}

/**
 * Reads a number of messages of a service, whatever they are, newest first, and returns those that match: a rare status
 * never makes a statement slow. `next` is the last id that was read; null at the end.
 */
export async function selectReportRows(
  db: Db,
  serviceId: string,
  { notification_type, statuses }: ReportFilter,
  range: { first_id: string; end_id: string },
  size: number,
): Promise<{ rows: ReportedMessage[]; next: string | null }> {
  const parts = [sql`n.job_id is null`, sql`n.job_id is not null`].map(
    (part) => sql`(select * from notifications n
      where n.service_id = ${serviceId} and n.id >= ${range.first_id} and n.id < ${range.end_id} and ${part}
      order by n.id desc limit ${size})`,
  );
  const { rows } = await sql<ReportedMessage & { next: string | null; id: string | null }>`
    with scanned as materialized (
      select * from (${sql.join(parts, sql` union all `)}) n order by n.id desc limit ${size}
    )
    select ends.next, matching.* from (select min(id::text) as next from scanned) ends
    left join lateral (
      select n.id, n.recipient, n.client_reference, template.name as template_name, users.name as created_by_name,
        users.email_address as created_by_email_address, jobs.original_file_name as job_name, n.status, n.created_at,
        api_keys.name as api_key_name
      from scanned n
      join templates_history template on template.id = n.template_id and template.version = n.template_version
      left join jobs on jobs.id = n.job_id
      left join users on users.id = n.created_by_id
      left join api_keys on api_keys.id = n.api_key_id
      where n.notification_type = ${notification_type} and n.key_type <> 'test'
        and ${statuses ? sql`n.status = any (${[...statuses]}::text[])` : sql`true`}
    ) matching on true
    order by matching.id desc`.execute(db);
  return { rows: rows.filter(({ id }) => id !== null), next: rows[0]?.next ?? null };
}
