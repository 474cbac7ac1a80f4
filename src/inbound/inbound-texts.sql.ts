import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { KeywordAction } from './opt-outs/keywords.ts';

export interface InboundTextRow {
  id: string;
  service_id: string;
  notify_number: string;
  user_number: string;
  content: string;
  provider: string;
  provider_reference: string | null;
  provider_date: Timestamp | null;
  created_at: Timestamp;
  keyword: string | null;
  keyword_action: KeywordAction | null;
}

export async function insertInboundText(tx: Tx, row: InboundTextRow): Promise<void> {
  await tx.insertInto('inbound_sms').values(row).execute();
}

const columns = [
  'id',
  'created_at',
  'service_id',
  'notify_number',
  'user_number',
  'content',
  'keyword',
  'keyword_action',
] as const;

export function selectInboundText(db: Db, serviceId: string, textId: string) {
  return db
    .selectFrom('inbound_sms')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', textId)
    .executeTakeFirst();
}

/** Returns whether the text was still awaiting review. */
export async function endReview(tx: Tx, textId: string, isOptOut: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('inbound_sms')
    .set(isOptOut ? { keyword_action: 'stop' } : { keyword_action: null, keyword: null })
    .where('id', '=', textId)
    .where('keyword_action', '=', 'review')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Selects texts, newest first. */
export function selectInbox(
  db: Db,
  serviceId: string,
  which: { since?: Timestamp; user_number?: string; notify_number?: string },
  limit: number,
) {
  const { since, user_number, notify_number } = which;
  let query = db.selectFrom('inbound_sms').select(columns).where('service_id', '=', serviceId);
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (user_number !== undefined) query = query.where('user_number', '=', user_number);
  if (notify_number !== undefined) query = query.where('notify_number', '=', notify_number);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Selects the newest text from each phone number, newest first. */
export function selectNewestByPerson(
  db: Db,
  serviceId: string,
  since: Timestamp,
  page: { size: number; skip: number },
) {
  return db
    .selectFrom((texts) =>
      texts
        .selectFrom('inbound_sms')
        .distinctOn('user_number')
        .select(columns)
        .where('service_id', '=', serviceId)
        .where('created_at', '>=', since)
        .orderBy('user_number')
        .orderBy('id', 'desc')
        .as('newest'),
    )
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.size)
    .offset(page.skip)
    .execute();
}

export function countInbox(db: Db, serviceId: string, since: Timestamp) {
  return db
    .selectFrom('inbound_sms')
    .where('service_id', '=', serviceId)
    .where('created_at', '>=', since)
    .select((text) => [text.fn.countAll<number>().as('count'), text.fn.max('created_at').as('most_recent')])
    .executeTakeFirstOrThrow();
}

/** Selects texts, newest first. `older_than` is the last id of the previous page. */
export function selectInboundTexts(
  db: Db,
  serviceId: string,
  { size, older_than }: { size: number; older_than?: string },
) {
  let query = db.selectFrom('inbound_sms').select(columns).where('service_id', '=', serviceId);
  if (older_than !== undefined) {
    query = query.where('id', '<', (text) =>
      text.selectFrom('inbound_sms').select('id').where('id', '=', older_than).where('service_id', '=', serviceId),
    );
  }
  return query.orderBy('id', 'desc').limit(size).execute();
}

/** Deletes the texts to one service, or to all. The join lets PostgreSQL use the index (service_id, user_number) once per service. */
export async function deleteInboundTextsOf(
  db: Db,
  userNumber: string,
  serviceId: string | undefined,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from inbound_sms t using services s
    where t.service_id = s.id and t.user_number = ${userNumber}
      and ${serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`} returning t.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Joins the services, so that the index by service and number is used. */
export async function selectInboundTextsOf(db: Db, userNumber: string, serviceId: string | undefined) {
  const { rows } = await sql<{ id: string; service_id: string; content: string; created_at: string }>`
    select t.id, t.service_id, t.content, t.created_at from inbound_sms t join services s on t.service_id = s.id
    where t.user_number = ${userNumber} and ${serviceId === undefined ? sql`true` : sql`s.id = ${serviceId}`}
    order by t.id`.execute(db);
  return rows;
}

export async function deleteInboundTexts(
  db: Db,
  defaultBeforeId: string,
  rules: { service_id: string; before_id: string }[],
) {
  const { numAffectedRows } = await sql`
    delete from inbound_sms t where t.id < coalesce((
      select r.before_id from json_to_recordset(${JSON.stringify(rules)}::json) as r (service_id uuid, before_id uuid)
      where r.service_id = t.service_id), ${defaultBeforeId})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Identifies the text that a part belongs to. Phones number their texts from 0 to 255 or 65,535. */
export interface TextOfParts {
  service_id: string;
  user_number: string;
  number: number;
  total: number;
}

/** Prevents a deadlock of two processes that receive the last two parts at the same time. */
export async function lockParts(tx: Tx, { service_id, user_number, number }: TextOfParts): Promise<void> {
  const key = `received parts ${service_id} ${user_number} ${number}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
}

export async function insertPart(
  tx: Tx,
  part: TextOfParts & { nth: number; content: string; received_at: Timestamp },
): Promise<void> {
  await tx
    .insertInto('received_parts')
    .values(part)
    .onConflict((conflict) =>
      conflict
        .columns(['service_id', 'user_number', 'number', 'total', 'nth'])
        .doUpdateSet({ content: part.content, received_at: part.received_at }),
    )
    .execute();
}

export async function selectParts(
  tx: Tx,
  { service_id, user_number, number, total }: TextOfParts,
  since: Timestamp,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('received_parts')
    .select('content')
    .where('service_id', '=', service_id)
    .where('user_number', '=', user_number)
    .where('number', '=', number)
    .where('total', '=', total)
    .where('received_at', '>', since)
    .orderBy('nth')
    .execute();
  return rows.map(({ content }) => content);
}

export async function deleteParts(tx: Tx, { service_id, user_number, number, total }: TextOfParts): Promise<void> {
  await tx
    .deleteFrom('received_parts')
    .where('service_id', '=', service_id)
    .where('user_number', '=', user_number)
    .where('number', '=', number)
    .where('total', '=', total)
    .execute();
}

export async function deletePartsBefore(db: Db, moment: Timestamp): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('received_parts').where('received_at', '<', moment).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deletePartsOf(db: Db, userNumber: string, serviceId: string | undefined): Promise<void> {
  await sql`delete from received_parts where user_number = ${userNumber}
    and ${serviceId === undefined ? sql`true` : sql`service_id = ${serviceId}`}`.execute(db);
}
