import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import { templateLanguages } from './languages/languages.ts';
import { keepCharacters } from './languages/text-alphabet.ts';
import type { CurrentTemplateRow, TemplateRow } from './template-row.ts';
import { byNameThenType } from './templates.sql.ts';

export async function selectTemplate(
  db: Db | Tx,
  templateId: string,
  serviceId: string,
): Promise<CurrentTemplateRow | undefined> {
  const found = sql`template.id = ${templateId} and template.service_id = ${serviceId} and not template.hidden`;
  return (await selectCurrent(db, found))[0];
}

/** Finds a template of any service, even a hidden one. */
export async function selectTemplateById(db: Db | Tx, templateId: string): Promise<CurrentTemplateRow | undefined> {
  return (await selectTemplatesById(db, [templateId]))[0];
}

/** Finds templates of any service, including hidden ones. */
export async function selectTemplatesById(db: Db | Tx, templateIds: string[]): Promise<CurrentTemplateRow[]> {
  const found = sql`template.id = any (${templateIds}::uuid[])`;
  const { rows } =
    await sql<CurrentTemplateRow>`/* prepared: templates-by-id */ ${selectRows(sql`templates`, folder, found, sql`1`)}`.execute(
      db,
    );
  return rows;
}

export function selectListedTemplates(db: Db, serviceId: string, type?: Channel): Promise<CurrentTemplateRow[]> {
  const ofType = type === undefined ? sql`true` : sql`template.template_type = ${type}`;
  const listed = sql`template.service_id = ${serviceId} and not template.archived and not template.hidden and ${ofType}`;
  return selectCurrent(db, listed, byNameThenType);
}

export async function selectPrecompiledTemplate(
  db: Db | Tx,
  serviceId: string,
): Promise<CurrentTemplateRow | undefined> {
  const precompiled = sql`template.service_id = ${serviceId} and template.hidden and template.template_type = 'letter'`;
  return (await selectCurrent(db, precompiled))[0];
}

/** Newest first; empty when the template is unknown or hidden. */
export async function selectTemplateVersions(
  db: Db,
  templateId: string,
  serviceId: string,
  version?: number,
): Promise<TemplateRow[]> {
  const ofVersion = version === undefined ? sql`true` : sql`template.version = ${version}`;
  const found = sql`template.id = ${templateId} and template.service_id = ${serviceId} and not template.hidden
    and ${ofVersion}`;
  const { rows } = await selectRows<TemplateRow>(
    sql`templates_history`,
    sql``,
    found,
    sql`template.version desc`,
  ).execute(db);
  return rows;
}

export function selectVersionAuthors(db: Db, templateId: string, { limit, offset }: { limit: number; offset: number }) {
  return db
    .selectFrom('templates_history as template')
    .innerJoin('users as author', 'author.id', 'template.created_by_id')
    .select(['template.version', 'template.created_at', 'template.updated_at', 'author.name as created_by_name'])
    .where('template.id', '=', templateId)
    .orderBy('template.version', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Finds a version of any template, even a hidden one, for rendering accepted messages. */
export async function selectTemplateVersion(
  db: Db | Tx,
  id: string,
  version: number,
): Promise<TemplateRow | undefined> {
  return (await selectVersionsOfTemplates(db, [{ id, version }]))[0];
}

/** Selects several versions, of any templates. */
export async function selectVersionsOfTemplates(
  db: Db | Tx,
  wanted: { id: string; version: number }[],
): Promise<TemplateRow[]> {
  if (wanted.length === 0) return [];
  const found = sql`template.id = any (${wanted.map(({ id }) => id)}::uuid[]) and (template.id, template.version) in (
    select w.id, w.version from json_to_recordset(${JSON.stringify(wanted)}::json) as w (id uuid, version int))`;
  const { rows } =
    await sql<TemplateRow>`/* prepared: template-versions */ ${selectRows(sql`templates_history`, sql``, found, sql`1`)}`.execute(
      db,
    );
  return rows;
}

async function selectCurrent(
  db: Db | Tx,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown> = sql`1`,
): Promise<CurrentTemplateRow[]> {
  const { rows } = await selectRows<CurrentTemplateRow>(sql`templates`, folder, where, order).execute(db);
  return rows;
}

const wireTime = (column: RawBuilder<unknown>) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const folder = sql`template.folder,`;

/** The current and the history table have the same columns, so one statement reads either. */
function selectRows<Row>(
  table: RawBuilder<unknown>,
  more: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): RawBuilder<Row> {
  return sql<Row>`
    select template.id, template.service_id as service, template.name, template.template_type, template.subject,
      template.content, template.version, template.archived, template.hidden, ${more} template.process_type, template.category_id,
      template.redact_personalisation, template.postage, template.reply_to, ${replyToText} as reply_to_text,
      template.letter_languages, template.letter_welsh_subject, template.letter_welsh_content,
      template.has_unsubscribe_link, ${letterAttachment} as letter_attachment, ${emailFiles} as email_files,
      template.created_by_id, author.name as created_by_name, author.email_address as created_by_email_address,
      template.created_at, template.updated_at, ${languages} as languages,
      service.api_dialect, ${sql.lit(keepCharacters)} = any (service.permissions) as keeps_characters
    from ${table} template join users author on author.id = template.created_by_id
    join services service on service.id = template.service_id
    where ${where}
    order by ${order}`;
}

const replyToText = sql`case template.template_type
  when 'letter' then (
    select contact.contact_block from service_letter_contacts contact
    where contact.id = template.reply_to and not contact.archived)
  when 'email' then (
    select reply_to.email_address from service_email_reply_to reply_to
    where reply_to.service_id = template.service_id and not reply_to.archived
      and (reply_to.id = template.reply_to or reply_to.is_default)
    order by reply_to.id = template.reply_to desc nulls last limit 1)
  else (
    select sender.sms_sender from service_sms_senders sender
    where sender.service_id = template.service_id and not sender.archived
      and (sender.id = template.reply_to or sender.is_default)
    order by sender.id = template.reply_to desc nulls last limit 1)
  end`;

/** Most templates have one language, so this reads nothing more for those. */
const languages = sql`case when template.language is not null then jsonb_build_object(
  'enabled', ${sql.lit(templateLanguages)} = any (service.permissions),
  'default', template.language, 'field', template.language_field, 'refuse_unknown', template.refuse_unknown_languages,
  'variants', (
    select coalesce(jsonb_agg(jsonb_build_object('language', variant.language, 'subject', variant.subject,
      'content', variant.content) order by variant.language collate "C"), '[]')
    from template_variants variant
    where variant.template_id = template.id and variant.version = template.version)) end`;

const letterAttachment = sql`(
  select jsonb_build_object('id', attachment.id, 'original_filename', attachment.original_filename,
    'page_count', attachment.page_count, 'created_by_id', attachment.created_by_id,
    'created_at', ${wireTime(sql`attachment.created_at`)}, 'archived_by_id', attachment.archived_by_id,
    'archived_at', ${wireTime(sql`attachment.archived_at`)})
  from letter_attachments attachment where attachment.id = template.letter_attachment_id)`;

/** Files as of this version of the template: the newest version of each that was effective then. */
const emailFiles = sql`case when template.template_type = 'email' then (
  select coalesce(jsonb_agg(jsonb_build_object('id', file.id, 'filename', file.filename, 'link_text', file.link_text,
    'retention_period', file.retention_period, 'validate_users_email', file.validate_users_email,
    'pending', file.pending) order by file.created_at, file.id), '[]')
  from (
    select distinct on (past.id) past.* from template_email_files_history past
    where past.template_id = template.id and past.template_version <= template.version
    order by past.id, past.version desc) file
  where file.archived_at is null and not file.pending) else '[]'::jsonb end`;
