import { type RawBuilder, sql } from 'kysely';
import type { Postage, Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';

/** A message that the sandbox received, or a letter for its printer. */
export interface StoredInboxMessage {
  id: string;
  notification_type: Channel;
  service_id: string;
  service_name: string;
  template_name: string;
  /** As the provider got it; the whole address of a letter. */
  recipient: string;
  sender: string;
  subject: string | null;
  /** Encrypted; null for letters. */
  body: string | null;
  received_at: Timestamp;
  status: Status;
  billable_units: number;
  /** How often the sandbox received it. */
  times_sent: number;
  postage: Postage | null;
  page_count: number | null;
}

export interface InboxFilter {
  /** Ids of services, or all. */
  services: 'all' | readonly string[];
  channel?: Channel | undefined;
  /** Whether the printer is the sandbox. */
  withLetters: boolean;
  /** Ids before this one. */
  before?: string | undefined;
  /** The oldest id. */
  since: string;
  id?: string | undefined;
}

/** Newest first. Ids ascend with time. */
export async function selectInboxMessages(db: Db, filter: InboxFilter, max: number): Promise<StoredInboxMessage[]> {
  const kinds = [
    ...(filter.channel === 'letter' ? [] : [keptMessages(filter, max)]),
    ...(filter.withLetters && (filter.channel ?? 'letter') === 'letter' ? [letters(filter, max)] : []),
  ];
  if (kinds.length === 0) return [];
  const { rows } = await sql<StoredInboxMessage>`
    select m.*, s.name as service_name, t.name as template_name from (${sql.join(kinds, sql` union all `)}) m
    join services s on s.id = m.service_id join templates t on t.id = m.template_id
    order by m.id desc limit ${max}`.execute(db);
  return rows;
}

function keptMessages(filter: InboxFilter, max: number): RawBuilder<unknown> {
  const channel = filter.channel ? sql`and k.notification_type = ${filter.channel}` : sql``;
  return sql`(select n.id, k.notification_type, n.service_id, n.template_id, k.recipient, k.sender, k.subject, k.body,
      k.created_at as received_at, n.status, n.billable_units, k.times_sent, n.postage, null::integer as page_count
    from sandbox_messages k join notifications n on n.id = k.reference
    where ${conditions(filter, sql`k.reference`)} ${channel} order by k.reference desc limit ${max})`;
}

/** Those that the printer gets, or has got: not cancelled or refused ones, and none of test keys. */
function letters(filter: InboxFilter, max: number): RawBuilder<unknown> {
  return sql`(select n.id, n.notification_type, n.service_id, n.template_id, n.recipient, '' as sender, null as subject,
      null as body, n.created_at as received_at, n.status, n.billable_units, 1 as times_sent, n.postage, f.page_count
    from notifications n left join letter_files f on f.notification_id = n.id
    where n.notification_type = 'letter' and n.key_type = 'normal'
      and n.status in ('created', 'sending', 'delivered', 'returned-letter', 'technical-failure')
      and ${conditions(filter, sql`n.id`)} order by n.id desc limit ${max})`;
}

function conditions({ services, before, since, id }: InboxFilter, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const all = [
    sql`${column} >= ${since}`,
    ...(before === undefined ? [] : [sql`${column} < ${before}`]),
    ...(id === undefined ? [] : [sql`${column} = ${id}`]),
    ...(services === 'all' ? [] : [sql`n.service_id = any (${services}::uuid[])`]),
  ];
  return sql.join(all, sql` and `);
}
