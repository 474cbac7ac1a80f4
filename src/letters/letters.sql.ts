import { type SqlBool, sql } from 'kysely';
import type { Status } from '../notifications/notification.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { anyOf } from '../platform/db/expressions.ts';
import type { KeyType } from '../protocol/key-types.ts';

/** A letter with the settings of its service. */
export interface Letter {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  /** Null for the template's own text. */
  language: string | null;
  notification_type: 'letter';
  key_type: KeyType;
  status: Status;
  recipient: string;
  personalisation: Record<string, unknown>;
  reply_to_text: string | null;
  postage: string | null;
  billable_units: number;
  created_at: Timestamp;
  precompiled: boolean;
  letter_branding_id: string | null;
  letter_branding_name: string | null;
  international_letters: boolean;
}

const letterColumns = sql`n.id, n.service_id, n.template_id, n.template_version, n.language, n.notification_type, n.key_type, n.status,
  n.recipient, n.personalisation, n.reply_to_text, n.postage, n.billable_units, n.created_at,
  template.hidden as precompiled, brand.id as letter_branding_id, brand.name as letter_branding_name,
  'international_letters' = any (service.permissions) as international_letters`;

const withItsService = sql`from notifications n
  join services service on service.id = n.service_id
  join templates template on template.id = n.template_id
  left join letter_branding brand on brand.id = service.letter_branding_id`;

export async function selectLetter(db: Db, id: string): Promise<Letter | undefined> {
  const { rows } = await sql<Letter>`select ${letterColumns} ${withItsService}
    where n.id = ${id} and n.notification_type = 'letter'`.execute(db);
  return rows[0];
}

/** Selects any channel, so that the caller can distinguish a text message from an unknown id. */
export async function selectChannel(db: Db, serviceId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('notifications')
    .select('notification_type')
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return row?.notification_type;
}

/** Returns the letter branding of a service. */
export async function selectServiceBrand(db: Db, serviceId: string): Promise<{ id: string; name: string } | undefined> {
  return db
    .selectFrom('services')
    .innerJoin('letter_branding', 'letter_branding.id', 'services.letter_branding_id')
    .select(['letter_branding.id', 'letter_branding.name'])
    .where('services.id', '=', serviceId)
    .executeTakeFirst();
}

export interface LetterFile {
  notification_id: string;
  page_count: number | null;
  message: string | null;
  invalid_pages: number[] | null;
  created_at: Timestamp;
}

/** A new result replaces the previous one. */
export async function upsertLetterFiles(tx: Tx, rows: LetterFile[]): Promise<void> {
  await tx
    .insertInto('letter_files')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('notification_id').doUpdateSet(({ ref }) => ({
        page_count: ref('excluded.page_count'),
        message: ref('excluded.message'),
        invalid_pages: ref('excluded.invalid_pages'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute();
}

export async function insertLetterFilesIfMissing(tx: Tx, ids: string[], created_at: Timestamp): Promise<void> {
  if (ids.length === 0) return;
  await sql`insert into letter_files (notification_id, created_at) select id, ${created_at} from unnest(${ids}::uuid[]) as id
    on conflict (notification_id) do nothing`.execute(tx);
}

export function selectLetterFile(db: Db, id: string): Promise<LetterFile | undefined> {
  return db.selectFrom('letter_files').selectAll().where('notification_id', '=', id).executeTakeFirst();
}

const isWaiting = sql<SqlBool>`n.notification_type = 'letter' and n.status in ('created', 'pending-virus-check')`;

interface WaitingLetter {
  id: string;
  status: 'created' | 'pending-virus-check';
}

/** Selects letters accepted before this time that are not rendered or checked yet. */
export async function selectUnfinishedLetters(db: Db, before: Timestamp, max: number): Promise<WaitingLetter[]> {
  const { rows } = await sql<WaitingLetter>`select n.id, n.status from notifications n
    where ${isWaiting} and n.billable_units = 0 and n.created_at < ${before} order by n.id limit ${max}`.execute(db);
  return rows;
}

/** Selects letters of all services, oldest first. */
export async function selectLettersInTransit(
  db: Db,
  before_id: string,
  max: number,
): Promise<{ id: string; status: Status }[]> {
  return db
    .selectFrom('notifications')
    .select(['id', 'status'])
    .where('notification_type', '=', 'letter')
    .where('status', 'in', ['created', 'sending', 'pending-virus-check'])
    .where('id', '<', before_id)
    .orderBy('id')
    .limit(max)
    .execute() as Promise<{ id: string; status: Status }[]>;
}

/** Selects letters that are rendered or checked, charged, and accepted before the cut-off. */
export async function selectPrintableLetters(db: Db, cutOff: Timestamp): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select n.id from notifications n
    where ${isWaiting} and n.status = 'created' and n.key_type = 'normal' and n.billable_units > 0
      and n.created_at < ${cutOff}
    order by n.id`.execute(db);
  return rows.map(({ id }) => id);
}

interface LateLetterLimits {
  accepted_before: Timestamp;
  handed_over_before: Timestamp;
  uploaded_before: Timestamp;
  failed_after: Timestamp;
}

interface LateLetters {
  not_printed: number;
  not_despatched: number;
  not_scanned: number;
  failed: number;
}

export async function countLateLetters(db: Db, limits: LateLetterLimits): Promise<LateLetters> {
  const { rows } = await sql<LateLetters>`select
      count(*) filter (where n.status = 'created' and n.created_at < ${limits.accepted_before})::int as not_printed,
      count(*) filter (where n.status = 'sending' and n.sent_at < ${limits.handed_over_before})::int as not_despatched,
      count(*) filter (where n.status = 'pending-virus-check' and n.created_at < ${limits.uploaded_before})::int
        as not_scanned,
      count(*) filter (where n.status = 'technical-failure' and n.created_at > ${limits.failed_after})::int as failed
    from notifications n where n.notification_type = 'letter' and n.key_type = 'normal'`.execute(db);
  return rows[0] ?? { not_printed: 0, not_despatched: 0, not_scanned: 0, failed: 0 };
}

/** Selects files whose letter was deleted. */
export async function selectOrphanedLetterFiles(db: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ notification_id: string }>`select f.notification_id from letter_files f
    where not exists (select 1 from notifications n where n.id = f.notification_id)
    order by f.notification_id limit ${max}`.execute(db);
  return rows.map(({ notification_id }) => notification_id);
}

export async function deleteLetterFiles(db: Db, ids: string[]): Promise<void> {
  await db.deleteFrom('letter_files').where('notification_id', '=', anyOf(ids)).execute();
}

export async function clearLetterReferences(tx: Tx, ids: string[], references: string[]): Promise<void> {
  await sql`update printed_letters set client_reference = null where reference = any (${references})`.execute(tx);
  await sql`
    update returned_letters set client_reference = null
    where notification_id = any (${ids}::uuid[]) and client_reference is not null`.execute(tx);
}
