import { sql, type Updateable } from 'kysely';
import { idInUse } from '../auth/imported.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import type { TemplateLanguages } from './languages/languages.ts';
import { copyVariants, insertVariants, recordChangedVariants } from './languages/variants.sql.ts';
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
  category_id?: string | null;
  postage: TemplateRow['postage'];
  reply_to: string | null;
  letter_languages: TemplateRow['letter_languages'];
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  has_unsubscribe_link: boolean;
  language?: string | null;
  language_field?: string | null;
  refuse_unknown_languages?: boolean;
  /** Hidden templates are in no list, and callers of the API cannot find them. */
  hidden?: true;
  redact_personalisation?: true;
  created_by_id: string;
  created_at: Timestamp;
}

const unknownAuthor = { templates_created_by_id_fkey: () => invalidField('created_by', 'No result found') };
const refusals = { ...unknownAuthor, templates_pkey: idInUse };

export function insertTemplate(tx: Tx, row: NewTemplate): Promise<void> {
  return withConstraints(refusals, async () => {
    await tx.insertInto('templates').values(row).execute();
    await recordVersions(tx, [row.id]);
  });
}

export async function selectTestTemplateId(
  tx: Tx,
  which: { service_id: string; template_type: Channel; created_by_id: string; name: string },
): Promise<string | undefined> {
  return (await selectHiddenTemplate(tx, which))?.id;
}

export function selectHiddenTemplate(
  db: Db | Tx,
  which: { service_id: string; template_type: Channel; created_by_id: string; name: string },
): Promise<{ id: string; version: number } | undefined> {
  return db
    .selectFrom('templates')
    .select(['id', 'version'])
    .where((template) => template.and({ ...which, hidden: true, archived: false }))
    .executeTakeFirst();
}

/** Serialises the creation of hidden templates, so that there is one of each. */
export async function lockHiddenTemplates(tx: Tx, serviceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`hidden templates ${serviceId}`}, 0))`.execute(tx);
}

type TemplateChange = Omit<Updateable<DB['templates']>, 'id' | 'service_id' | 'version' | 'updated_at' | 'created_at'>;

/** Creates the next version of each template; returns the ids that were changed. */
export function updateTemplates(
  tx: Tx,
  which: { id: string } | { service_id: string; archived: false } | { service_id: string; reply_to: string },
  { languages, ...change }: TemplateChange & { languages?: TemplateLanguages | null },
  now: Timestamp,
): Promise<string[]> {
  const ofLanguages = languages === undefined ? {} : languageColumns(languages);
  return withConstraints(unknownAuthor, async () => {
    const changed = await tx
      .updateTable('templates')
      .set((template) => ({ ...change, ...ofLanguages, version: template('version', '+', 1), updated_at: now }))
      .where((template) => template.and(which))
      .returning(['id', 'version', 'language'])
      .execute();
    const ids = changed.map(({ id }) => id);
    await recordVersions(tx, ids);
    if (languages === undefined) {
      const multilingual = changed.filter(({ language }) => language !== null).map(({ id }) => id);
      if (multilingual.length > 0) await copyVariants(tx, multilingual);
    } else {
      for (const version of changed) await insertVariants(tx, version, languages?.variants ?? []);
      await recordChangedVariants(tx, ids);
    }
    return ids;
  });
}

/** Returns the columns that say how the language of a message is chosen. */
export function languageColumns(languages: TemplateLanguages | null) {
  return {
    language: languages?.default ?? null,
    language_field: languages?.field ?? null,
    refuse_unknown_languages: languages?.refuse_unknown ?? false,
  };
}

/** Locks the template until the transaction ends. */
export async function lockTemplate(tx: Tx, templateId: string): Promise<void> {
  await tx.selectFrom('templates').select('id').where('id', '=', templateId).forUpdate().executeTakeFirst();
}

/** Selects subject and content by template id. */
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
  'category_id',
  'redact_personalisation',
  'postage',
  'reply_to',
  'letter_languages',
  'letter_welsh_subject',
  'letter_welsh_content',
  'has_unsubscribe_link',
  'letter_attachment_id',
  'language',
  'language_field',
  'refuse_unknown_languages',
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

/** Inserts both rows in one statement, so that it is atomic without a transaction. Does nothing if they exist. */
export async function insertPrecompiledTemplate(
  db: Db | Tx,
  row: { id: string; service_id: string; name: string; postage: string; created_by_id: string; created_at: Timestamp },
): Promise<void> {
  const columns = sql.join(historyColumns.map((column) => sql.ref(column)));
  await sql`
    with made as (
      insert into templates (id, service_id, name, template_type, subject, content, hidden, postage, letter_languages,
        created_by_id, created_at)
      values (${row.id}, ${row.service_id}, ${row.name}, 'letter', ${row.name}, '', true, ${row.postage}, 'english',
        ${row.created_by_id}, ${row.created_at})
      on conflict (service_id) where hidden and template_type = 'letter' do nothing
      returning *
    )
    insert into templates_history (${columns}) select ${columns} from made`.execute(db);
}

/** Sorts by name in code point order, then text messages, emails, letters. */
export const byNameThenType = sql`template.name collate "C", array_position(array['sms', 'email', 'letter'], template.template_type)`;

/** Selects the fields of a list, without the content, which may be megabytes. */
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

export interface SummaryFilter {
  service_id: string;
  /** Null for the root; undefined for the root and all of `folders`. */
  folder: string | null | undefined;
  /** Folders that the reader may see. */
  folders: readonly string[];
  channel: Channel | undefined;
  /** Only these channels; undefined for all. */
  channels?: readonly Channel[];
  /** Searched for in names, ids and texts. */
  find: string;
  archived: boolean;
}

const summaryTexts = sql<string>`left(coalesce(template.subject, template.content), 160)`;

function summaries(db: Db, filter: SummaryFilter) {
  const { service_id, folder, folders, channel, channels, find, archived } = filter;
  let query = db
    .selectFrom('templates as template')
    .where('template.service_id', '=', service_id)
    .where('template.hidden', '=', false)
    .where('template.archived', '=', archived);
  if (folder === null) query = query.where('template.folder', 'is', null);
  else if (folder !== undefined) query = query.where('template.folder', '=', folder);
  else {
    query = query.where((row) =>
      row.or([row('template.folder', 'is', null), row('template.folder', '=', anyOf(folders))]),
    );
  }
  if (channel !== undefined) query = query.where('template.template_type', '=', channel);
  if (channels !== undefined) query = query.where('template.template_type', '=', anyOf(channels, 'text'));
  if (find !== '') query = query.where(matches(find));
  return query;
}

function matches(find: string) {
  const pattern = likeContains(find);
  return sql<boolean>`(template.name ilike ${pattern} or template.id::text = lower(${find})
    or template.content ilike ${pattern} or template.subject ilike ${pattern}
    or template.letter_welsh_subject ilike ${pattern} or template.letter_welsh_content ilike ${pattern})`;
}

/** Selects one page of a list, with the beginning of each text. */
export function selectTemplateSummaries(db: Db, filter: SummaryFilter, page: { limit: number; offset: number }) {
  return summaries(db, filter)
    .innerJoin('users as author', 'author.id', 'template.created_by_id')
    .select([
      'template.id',
      'template.name',
      'template.template_type',
      'template.version',
      'template.folder',
      'template.created_at',
      'template.updated_at',
      summaryTexts.as('beginning'),
      'author.name as author_name',
    ])
    .orderBy(sql`lower(template.name), template.name collate "C", template.id`)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function countTemplates(db: Db, filter: SummaryFilter): Promise<number> {
  const { count } = await summaries(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function selectTemplateNames(db: Db, serviceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('templates')
    .select('name')
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .execute();
  return rows.map(({ name }) => name);
}

/** Selects the templates that requests can name instead of an id. */
export function selectNamedTemplates(db: Db, serviceId: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'name', 'template_type'])
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .where('hidden', '=', false)
    .execute();
}

/** Counts templates by folder; omits those at the root. */
export function countTemplatesByFolder(db: Db, serviceId: string) {
  return db
    .selectFrom('templates')
    .select(({ fn }) => ['folder', fn.countAll<number>().as('count')])
    .where('service_id', '=', serviceId)
    .where('hidden', '=', false)
    .where('archived', '=', false)
    .where('folder', 'is not', null)
    .groupBy('folder')
    .execute();
}

/** Returns undefined for an unknown service. */
export function selectServiceRules(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('services')
    .select(['permissions', 'api_dialect'])
    .where('id', '=', serviceId)
    .$narrowType<{ api_dialect: ApiDialect }>()
    .executeTakeFirst();
}

export async function selectServiceName(db: Db | Tx, serviceId: string): Promise<string> {
  const service = await db.selectFrom('services').select('name').where('id', '=', serviceId).executeTakeFirstOrThrow();
  return service.name;
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
