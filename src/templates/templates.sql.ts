import { sql, type Updateable } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf } from '../platform/db/expressions.ts';
import type { Templates } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';
import type { TemplateRow } from './template-row.ts';

export interface NewTemplate {
  id: string;
  service_id: string;
  name: string;
  template_type: Channel;
  subject: string | null;
  content: string;
  folder: string | null;
  process_type: TemplateRow['process_type'];
  postage: TemplateRow['postage'];
  reply_to: string | null;
  letter_languages: TemplateRow['letter_languages'];
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  has_unsubscribe_link: boolean;
  created_by_id: string;
  created_at: Timestamp;
}

const unknownAuthor = { templates_created_by_id_fkey: () => invalidField('created_by', 'No result found') };

export function insertTemplate(tx: Tx, row: NewTemplate): Promise<void> {
  return withConstraints(unknownAuthor, async () => {
    await tx.insertInto('templates').values(row).execute();
    await recordVersions(tx, [row.id]);
  });
}

type TemplateChange = Omit<Updateable<Templates>, 'id' | 'service_id' | 'version' | 'updated_at' | 'created_at'>;

/** Creates the next version of each template; returns the ids that were changed. */
export function updateTemplates(
  tx: Tx,
  which: { id: string } | { service_id: string; archived: false } | { service_id: string; reply_to: string },
  change: TemplateChange,
  now: Timestamp,
): Promise<string[]> {
  return withConstraints(unknownAuthor, async () => {
    const changed = await tx
      .updateTable('templates')
      .set((template) => ({ ...change, version: template('version', '+', 1), updated_at: now }))
      .where((template) => template.and(which))
      .returning('id')
      .execute();
    const ids = changed.map(({ id }) => id);
    await recordVersions(tx, ids);
    return ids;
  });
}

/** Locks the template until the transaction ends. */
export async function lockTemplate(tx: Tx, templateId: string): Promise<void> {
  await tx.selectFrom('templates').select('id').where('id', '=', templateId).forUpdate().executeTakeFirst();
}

/** Subject and content by template id. */
export async function selectTexts(
  tx: Tx,
  ids: string[],
): Promise<Map<string, { subject: string | null; content: string }>> {
  const rows = await tx
    .selectFrom('templates')
    .select(['id', 'subject', 'content'])
    .where('id', '=', anyOf(ids))
    .execute();
  return new Map(rows.map(({ id, ...text }) => [id, text]));
}

const historyColumns = [
  'id',
  'version',
  'service_id',
  'name',
  'template_type',
  'subject',
  'content',
  'archived',
  'hidden',
  'process_type',
  'redact_personalisation',
  'postage',
  'reply_to',
  'letter_languages',
  'letter_welsh_subject',
  'letter_welsh_content',
  'has_unsubscribe_link',
  'letter_attachment_id',
  'created_by_id',
  'created_at',
  'updated_at',
] as const;

async function recordVersions(tx: Tx, templateIds: string[]): Promise<void> {
  if (templateIds.length === 0) return;
  await tx
    .insertInto('templates_history')
    .columns(historyColumns)
    .expression(tx.selectFrom('templates').select(historyColumns).where('id', '=', anyOf(templateIds)))
    .execute();
}

/** Inserts both rows in one statement, so that it is atomic without a transaction; does nothing if they exist. */
export async function insertPrecompiledTemplate(
  db: Db | Tx,
  row: { id: string; service_id: string; name: string; created_by_id: string; created_at: Timestamp },
): Promise<void> {
  const columns = sql.join(historyColumns.map((column) => sql.ref(column)));
  await sql`
    with made as (
      insert into templates (id, service_id, name, template_type, subject, content, hidden, postage, letter_languages,
        created_by_id, created_at)
      values (${row.id}, ${row.service_id}, ${row.name}, 'letter', ${row.name}, '', true, 'second', 'english',
        ${row.created_by_id}, ${row.created_at})
      on conflict (service_id) where hidden and template_type = 'letter' do nothing
      returning *
    )
    insert into templates_history (${columns}) select ${columns} from made`.execute(db);
}

/** By name in code point order, then text messages, emails, letters. */
export const byNameThenType = sql`template.name collate "C", array_position(array['sms', 'email', 'letter'], template.template_type)`;

/** Fields of a list: without the content, which may be megabytes. */
export function selectTemplateList(db: Db, serviceId: string) {
  return db
    .selectFrom('templates as template')
    .select([
      'id',
      'name',
      'template_type',
      'version',
      'created_at',
      'updated_at',
      'archived',
      'hidden',
      'folder',
      'process_type',
    ])
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .where('hidden', '=', false)
    .orderBy(byNameThenType)
    .execute();
}

/** Returns undefined for an unknown service. */
export async function selectServicePermissions(db: Db | Tx, serviceId: string): Promise<string[] | undefined> {
  const service = await db.selectFrom('services').select('permissions').where('id', '=', serviceId).executeTakeFirst();
  return service?.permissions;
}

export async function folderExists(db: Db | Tx, serviceId: string, folderId: string): Promise<boolean> {
  const folder = await db
    .selectFrom('template_folders')
    .select('id')
    .where('id', '=', folderId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return folder !== undefined;
}

const replyToTables = {
  letter: 'service_letter_contacts',
  email: 'service_email_reply_to',
  sms: 'service_sms_senders',
} as const;

/** Whether an id is an active letter contact, reply-to address or sender of the service. */
export async function replyToExists(
  db: Db | Tx,
  type: Channel,
  serviceId: string,
  replyToId: string,
): Promise<boolean> {
  const found = await db
    .selectFrom(replyToTables[type])
    .select('id')
    .where('id', '=', replyToId)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .executeTakeFirst();
  return found !== undefined;
}
