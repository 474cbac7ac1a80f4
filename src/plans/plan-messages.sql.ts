import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { anyOf } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { nilId } from '../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../platform/secrets/encrypted-values.ts';
import type { Channel } from '../protocol/channels.ts';
import { type KeyType, keyTypes } from '../protocol/key-types.ts';
import type { MessageStatus, Step } from './plan-rules.ts';

export interface PlanMessage {
  id: string;
  service_id: string;
  plan_id: string;
  plan_version: number;
  key_type: KeyType;
  api_key_id: string | null;
  reference: string | null;
  encrypted_content: string | null;
  status: MessageStatus;
  how: Channel | null;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  completed_at: Timestamp | null;
}

export interface StoredStep extends Step {
  message_id: string;
  template_id: string;
  template_version: number;
  started_at: Timestamp | null;
}

const columns = [
  'id',
  'service_id',
  'plan_id',
  'plan_version',
  'key_type',
  'api_key_id',
  'reference',
  'encrypted_content',
  'status',
  'how',
  'scheduled_for',
  'created_at',
  'completed_at',
] as const;

export async function insertPlanMessage(
  tx: Tx,
  message: Insertable<DB['plan_messages']>,
  steps: Insertable<DB['plan_steps']>[],
): Promise<void> {
  await tx.insertInto('plan_messages').values(message).execute();
  await tx.insertInto('plan_steps').values(steps).execute();
}

/** People see the messages of all keys. A key sees those of its type. */
export interface MessageReader {
  service_id: string;
  key_type?: KeyType;
}

export function selectPlanMessage(
  db: Db | Tx,
  { service_id, key_type }: MessageReader,
  id: string,
): Promise<PlanMessage | undefined> {
  let row = db.selectFrom('plan_messages').select(columns).where('service_id', '=', service_id).where('id', '=', id);
  if (key_type !== undefined) row = row.where('key_type', '=', key_type);
  return row.executeTakeFirst() as Promise<PlanMessage | undefined>;
}

/** Locks the message until the transaction ends, so that its changes happen one after the other. */
export function lockPlanMessage(tx: Tx, id: string): Promise<PlanMessage | undefined> {
  const row = tx.selectFrom('plan_messages').select(columns).where('id', '=', id).forUpdate();
  return row.executeTakeFirst() as Promise<PlanMessage | undefined>;
}

export interface MessageFilter {
  key_type?: KeyType | undefined;
  plan_id?: string | undefined;
  reference?: string | undefined;
  status?: MessageStatus | undefined;
  older_than?: string | undefined;
}

export function selectPlanMessages(
  db: Db,
  serviceId: string,
  { key_type, plan_id, reference, status, older_than }: MessageFilter,
  limit: number,
): Promise<PlanMessage[]> {
  let query = db.selectFrom('plan_messages').select(columns).where('service_id', '=', serviceId);
  if (key_type !== undefined) query = query.where('key_type', '=', key_type);
  if (plan_id !== undefined) query = query.where('plan_id', '=', plan_id);
  if (reference !== undefined) query = query.where('reference', '=', reference);
  if (status !== undefined) query = query.where('status', '=', status);
  if (older_than !== undefined) query = query.where('id', '<', older_than);
  return query.orderBy('id', 'desc').limit(limit).execute() as Promise<PlanMessage[]>;
}

export function selectStepsOf(db: Db | Tx, messageIds: string[]): Promise<StoredStep[]> {
  return db
    .selectFrom('plan_steps')
    .selectAll()
    .where('message_id', '=', anyOf(messageIds))
    .orderBy('message_id')
    .orderBy('number')
    .execute() as Promise<StoredStep[]>;
}

export async function updatePlanMessage(
  tx: Tx,
  id: string,
  change: Partial<Pick<PlanMessage, 'status' | 'how' | 'completed_at'>> & { due_at?: Timestamp | null },
): Promise<void> {
  const released = 'due_at' in change ? { leased_until: null, attempts: 0 } : {};
  await tx
    .updateTable('plan_messages')
    .set({ ...change, ...released })
    .where('id', '=', id)
    .execute();
}

export async function updateStep(
  tx: Tx,
  { message_id, number }: Pick<StoredStep, 'message_id' | 'number'>,
  change: Partial<
    Pick<StoredStep, 'state' | 'reason' | 'notification_id' | 'started_at' | 'handed_over_at' | 'ended_at'>
  >,
): Promise<void> {
  await tx
    .updateTable('plan_steps')
    .set(change)
    .where('message_id', '=', message_id)
    .where('number', '=', number)
    .execute();
}

/** False if the step has started or ended. The message must be locked. */
export async function updateWaitingStep(
  tx: Tx,
  { message_id, number }: Pick<StoredStep, 'message_id' | 'number'>,
  change: Partial<StoredStep>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('plan_steps')
    .set(change)
    .where('message_id', '=', message_id)
    .where('number', '=', number)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const isOpen = sql`status in ('created', 'in-progress')`;

export async function hasOpenMessages(db: Db, serviceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from plan_messages
    where service_id = ${serviceId} and key_type = any (${keyTypes}::text[]) and ${isOpen} limit 1`.execute(db);
  return rows.length > 0;
}

/** Cancels the waiting steps of open messages, and makes these due, so that a worker ends them. Returns how many messages there are. */
export async function cancelStepsOfOpenMessages(
  db: Db | Tx,
  now: Timestamp,
  key?: { id: string; service_id: string },
): Promise<number> {
  const isOfKey = key
    ? sql`service_id = ${key.service_id} and api_key_id = ${key.id} and key_type = (select key_type from api_keys where id = ${key.id})`
    : sql`true`;
  const { rows } = await sql<{ stopped: number }>`
    with stopped as (
      update plan_messages set due_at = ${now}, leased_until = null, attempts = 0
      where ${isOpen} and ${isOfKey} returning id
    ), cancelled as (
      update plan_steps s set state = 'cancelled', reason = 'stopped', ended_at = ${now}
      from stopped where s.message_id = stopped.id and s.state = 'waiting'
    )
    select count(*) as stopped from stopped`.execute(db);
  return rows[0]?.stopped ?? 0;
}

const isOver = sql`status in ('delivered', 'failed', 'cancelled')`;

/** Deletes messages of a service, or of all others, that have ended and whose notifications are no longer kept. Returns their number. */
export async function deleteOldMessages(
  db: Db,
  of: { service_id: string } | { except: string[] },
  before_id: string,
  limit: number,
): Promise<number> {
  const isOf = 'except' in of ? sql`service_id <> all (${of.except}::uuid[])` : sql`service_id = ${of.service_id}`;
  const { rows } = await sql<{ id: string }>`
    delete from plan_messages where id in (
      select id from plan_messages m where ${isOver} and ${isOf} and id < ${before_id}
        and not exists (select from plan_steps s where s.message_id = m.id and s.notification_id >= ${before_id})
      limit ${limit})
    returning id`.execute(db);
  return rows.length;
}

/**
 * Messages that have all tags of one of the lists or whose tags are not known, if their contents were not erased; of one service or of
 * all, in the order of their ids.
 */
export function selectWithContent(
  db: Db,
  {
    serviceId,
    tags,
    after = nilId,
    limit,
  }: { serviceId: string | undefined; tags: string[][]; after?: string | undefined; limit: number },
): Promise<PlanMessage[]> {
  let query = db
    .selectFrom('plan_messages')
    .select(columns)
    .where('id', '>', after)
    .where('encrypted_content', 'is not', null)
    .where(({ or, eb }) =>
      or([eb('recipient_tags', 'is', null), ...tags.map((all) => sql<boolean>`recipient_tags @> ${all}::text[]`)]),
    );
  if (serviceId !== undefined) query = query.where('service_id', '=', serviceId);
  return query.orderBy('id').limit(limit).execute() as Promise<PlanMessage[]>;
}

export async function eraseContents(db: Db, ids: string[]): Promise<void> {
  const nothing = { encrypted_content: null, recipient_tags: null, reference: null };
  await db.updateTable('plan_messages').set(nothing).where('id', '=', anyOf(ids)).execute();
}

export async function selectEncryptedContents(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select id, id::text as place, encrypted_content as text from plan_messages
    where id > ${after} and encrypted_content is not null order by id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

/** Forgets the tags, which are made with the key that is replaced. */
export async function replaceEncryptedContents(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update plan_messages m set encrypted_content = v.after, recipient_tags = null
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where m.id = v.id and m.encrypted_content = v.before`.execute(db);
}
