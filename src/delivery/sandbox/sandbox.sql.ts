import { type RawBuilder, sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';
import type { Channel } from '../../protocol/channels.ts';

/** Where the source of an email is stored. The emails of one commit share a file. */
export interface SourceLocation {
  source_file: string;
  source_start: number;
  source_length: number;
}

export interface SandboxMessage {
  reference: string;
  notification_type: Channel;
  recipient: string;
  sender: string;
  subject: string | null;
  body: string;
  created_at: Timestamp;
  receipt_due_at: Timestamp | null;
  /** Set for emails only: the row of a text message has all its content. */
  source: SourceLocation | undefined;
}

export async function insertSandboxMessages(db: Db, messages: SandboxMessage[]): Promise<void> {
  const rows = messages.map(({ source, ...message }) => ({ ...message, ...source }));
  await sql`/* prepared: insert-sandbox-messages */
    insert into sandbox_messages as known (reference, notification_type, recipient, sender, subject, body, created_at,
      receipt_due_at, source_file, source_start, source_length)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as m (reference uuid, notification_type text,
      recipient text, sender text, subject text, body text, created_at timestamptz, receipt_due_at timestamptz,
      source_file uuid, source_start integer, source_length integer)
    on conflict (reference) do update set times_sent = known.times_sent + 1`.execute(db);
}

export async function selectSandboxReferences(db: Db, references: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('sandbox_messages')
    .select('reference')
    .where('reference', '=', anyOf(references))
    .execute();
  return rows.map(({ reference }) => reference);
}

interface DueReceipt {
  reference: string;
  notification_type: Channel;
  recipient: string;
}

export async function hasDueReceipts(db: Db, now: Timestamp): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`/* prepared: sandbox-due */
    select exists (select from sandbox_messages where receipt_due_at <= ${now}) as found`.execute(db);
  return rows[0]?.found ?? false;
}

/**
 * Takes due receipts; the transaction marks them as sent. Real receipts can arrive before we recorded the hand-over, but the sandbox avoids
 * that.
 */
export async function takeDueReceipts(tx: Tx, now: Timestamp, max: number): Promise<DueReceipt[]> {
  const { rows } = await sql<DueReceipt>`/* prepared: sandbox-receipts */
    with due as (
      select m.reference from sandbox_messages m
      where m.receipt_due_at <= ${now}
        and (select n.status from notifications n where n.id = m.reference) is distinct from 'created'
      order by m.receipt_due_at limit ${max}::int for update of m skip locked
    )
    update sandbox_messages m set receipt_due_at = null
    where m.reference = any (array(select reference from due))
    returning m.reference, m.notification_type, m.recipient`.execute(tx);
  return rows;
}

/** Excludes messages of the hidden service. */
export function selectLatestSandboxMessages(
  db: Db,
  { max, older_than }: { max: number; older_than: string | undefined },
  hiddenService: string | undefined,
) {
  return (
    sandboxMessages(db, hiddenService)
      .select([
        'sandbox_messages.reference',
        'sandbox_messages.notification_type',
        'sandbox_messages.recipient',
        'sandbox_messages.sender',
        'sandbox_messages.subject',
        'sandbox_messages.body',
        'sandbox_messages.created_at',
        'notifications.status',
      ])
      .$if(older_than !== undefined, (query) => query.where('sandbox_messages.reference', '<', older_than ?? ''))
      // Ids ascend with time.
      .orderBy('sandbox_messages.reference', 'desc')
      .limit(max)
      .execute()
  );
}

export function selectSandboxMessage(db: Db, reference: string, hiddenService: string | undefined) {
  return sandboxMessages(db, hiddenService)
    .select([
      'sandbox_messages.reference',
      'sandbox_messages.notification_type',
      'sandbox_messages.recipient',
      'sandbox_messages.sender',
      'sandbox_messages.body',
    ])
    .where('sandbox_messages.reference', '=', reference)
    .executeTakeFirst();
}

export function selectSandboxText(db: Db, reference: string) {
  return db
    .selectFrom('sandbox_messages')
    .select(['reference', 'subject', 'body'])
    .where('reference', '=', reference)
    .executeTakeFirst();
}

/** Returns undefined for a text message. */
export async function selectSource(db: Db, reference: string): Promise<SourceLocation | undefined> {
  const { rows } = await sql<Pick<DeletedMessage, 'source'>>`
    select ${source} from sandbox_messages where reference = ${reference}`.execute(db);
  return rows[0]?.source ?? undefined;
}

function sandboxMessages(db: Db, hiddenService: string | undefined) {
  return db
    .selectFrom('sandbox_messages')
    .innerJoin('notifications', 'notifications.id', 'sandbox_messages.reference')
    .$if(hiddenService !== undefined, (query) => query.where('notifications.service_id', '!=', hiddenService ?? ''));
}

export async function selectSandboxBodies(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select reference as id, reference as place, body as text from sandbox_messages
    where reference > ${after} order by reference limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replaceSandboxBodies(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update sandbox_messages m set body = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where m.reference = v.id and m.body = v.before`.execute(db);
}

interface DeletedMessage {
  reference: string;
  source: SourceLocation | null;
}

export async function deleteSandboxMessages(db: Db, references: string[]): Promise<DeletedMessage[]> {
  const { rows } = await sql<DeletedMessage>`
    delete from sandbox_messages where reference = any (${references}::uuid[]) returning reference, ${source}`.execute(
    db,
  );
  return rows;
}

/** Null for text messages. */
const source = sql`case when source_file is not null then
  json_build_object('source_file', source_file, 'source_start', source_start, 'source_length', source_length)
  end as source`;

/** Deletes one batch of messages whose notification is deleted. `last` is null at the end. */
export async function deleteSandboxOrphans(db: Db, after: string, size: number) {
  const { rows } = await sql<{ sources: SourceLocation[]; last: string | null }>`
    with part as (
      select reference from sandbox_messages where reference > ${after} order by reference limit ${size}
    ), deleted as (
      delete from sandbox_messages where reference in (
        select reference from part where not exists (select from notifications n where n.id = part.reference))
      returning ${source}
    )
    select array(select source from deleted where source is not null) as sources, max(reference::text) as last
    from part`.execute(db);
  return rows[0] ?? { sources: [], last: null };
}

export async function deleteSandboxMessagesBefore(db: Db, firstKept: string): Promise<void> {
  await db.deleteFrom('sandbox_messages').where('reference', '<', firstKept).execute();
}

/** A message that the sandbox received, or a letter for its printer. */
export interface StoredInboxMessage {
  id: string;
  notification_type: Channel;
  service_id: string;
  service_name: string;
  template_name: string;
  /** The recipient as passed to the provider, or the whole address of a letter. */
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
  postage: string | null;
  page_count: number | null;
}

export interface InboxFilter {
  services: 'all' | readonly string[];
  channel?: Channel | undefined;
  /** Whether the printer is the sandbox. */
  withLetters: boolean;
  /** Only ids lower than this one. */
  before?: string | undefined;
  /** The lowest id. */
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

/** Selects the letters that the printer gets or got: not cancelled or refused ones, and none of test keys. */
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
