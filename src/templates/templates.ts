import { recordImport, requireUnusedId } from '../auth/imported.ts';
import type { Country } from '../countries/country.ts';
import { homePostage } from '../countries/postage.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import { canonicalId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { platformUserId } from '../users/platform-user.ts';
import { archiveEmailFiles } from './files/template-email-files.sql.ts';
import { insertVariants } from './languages/variants.sql.ts';
import { type LanguagesRequest, readLanguages, refuseVariantsOfWelshLetter } from './languages/variants.ts';
import {
  getServiceRules,
  refuseTooMuchText,
  refuseUnlessChannelIsAllowed,
  refuseUnlessContentFits,
  refuseUnlessLanguagesFit,
  refuseUnlessReplyToExists,
  refuseUnsubscribeLinkUnlessEmail,
  textRules,
} from './template-checks.ts';
import { precompiledName } from './template-record.ts';
import type { CurrentTemplateRow, LetterLanguages, ProcessType, TemplateRow } from './template-row.ts';
import {
  selectPrecompiledTemplate,
  selectTemplate,
  selectTemplateById,
  selectTemplateVersions,
  selectVersionAuthors,
  selectVersionsOfTemplates,
} from './template-rows.sql.ts';
import {
  countTemplates,
  countTemplatesByFolder,
  folderExists,
  insertPrecompiledTemplate,
  insertTemplate,
  languageColumns,
  lockTemplate,
  type NewTemplate,
  type SummaryFilter,
  selectTemplateList,
  selectTemplateSummaries,
  selectTestTemplateId,
  updateTemplates,
} from './templates.sql.ts';

export interface NewTemplateRequest {
  /** The id that it had on another server. */
  id?: string;
  name: string;
  template_type: Channel;
  content: string;
  created_by: string;
  subject?: string | null;
  service?: string;
  parent_folder_id?: string;
  process_type?: ProcessType;
  category_id?: string | null;
  postage?: string;
  reply_to?: string | null;
  letter_languages?: LetterLanguages | null;
  letter_welsh_subject?: string | null;
  letter_welsh_content?: string | null;
  has_unsubscribe_link?: boolean | null;
  languages?: LanguagesRequest | null;
}

/** The context in which a template is created. */
interface TemplateContext {
  country: Pick<Country, 'postage' | 'sms'>;
  now: Date;
}

export function createTemplate(
  app: Platform,
  serviceId: string,
  request: NewTemplateRequest,
): Promise<CurrentTemplateRow> {
  return inTransaction(app.db, (tx) =>
    createTemplateIn(tx, serviceId, request, { country: app.country, now: app.clock.now() }),
  );
}

export async function createTemplateIn(
  tx: Tx,
  serviceId: string,
  request: NewTemplateRequest,
  context: TemplateContext,
): Promise<CurrentTemplateRow> {
  const { permissions, api_dialect } = await getServiceRules(tx, serviceId);
  const imported = request.id === undefined ? {} : { id: await requireUnusedId(tx, request.id) };
  const template = { ...newTemplate(serviceId, request, context), ...imported };
  refuseIfForAnotherService(serviceId, request.service);
  refuseUnlessLanguagesFit(template, request);
  refuseUnsubscribeLinkUnlessEmail(template.template_type, template.has_unsubscribe_link);
  await refuseUnlessFolderExists(tx, serviceId, template.folder);
  refuseUnlessChannelIsAllowed(permissions, template.template_type, 'Creating');
  const rules = textRules(context.country, { permissions, api_dialect });
  refuseUnlessContentFits(template, rules);
  const languages = readLanguages(template, request.languages ?? null, { permissions, ...rules });
  refuseVariantsOfWelshLetter({ ...template, languages });
  refuseTooMuchText({ ...template, languages });
  await refuseUnlessReplyToExists(tx, template.template_type, serviceId, template.reply_to);
  await insertTemplate(tx, { ...template, ...languageColumns(languages) });
  if (languages) await insertVariants(tx, { id: template.id, version: 1 }, languages.variants);
  if (request.id !== undefined) await recordImport(tx, { noun: 'template', id: template.id, service_id: serviceId });
  return getTemplate(tx, serviceId, template.id);
}

function newTemplate(serviceId: string, request: NewTemplateRequest, { country, now }: TemplateContext): NewTemplate {
  const type = request.template_type;
  const isLetter = type === 'letter';
  return {
    id: newId(now),
    service_id: serviceId,
    name: request.name,
    template_type: type,
    subject: type === 'sms' ? null : (request.subject ?? null),
    content: request.content,
    folder: request.parent_folder_id ?? null,
    process_type: request.process_type ?? 'normal',
    category_id: request.category_id ?? null,
    postage: isLetter ? homePostage(country.postage, request.postage) : null,
    reply_to: request.reply_to ?? null,
    letter_languages: isLetter ? (request.letter_languages ?? 'english') : null,
    letter_welsh_subject: request.letter_welsh_subject ?? null,
    letter_welsh_content: request.letter_welsh_content ?? null,
    has_unsubscribe_link: request.has_unsubscribe_link ?? false,
    created_by_id: request.created_by,
    created_at: timestamp(now),
  };
}

function refuseIfForAnotherService(serviceId: string, given: string | undefined): void {
  if (given !== undefined && canonicalId(given) !== canonicalId(serviceId)) {
    throw invalidField('service', 'Must be the service in the path.');
  }
}

export async function refuseUnlessFolderExists(tx: Tx, serviceId: string, folderId: string | null): Promise<void> {
  if (folderId !== null && !(await folderExists(tx, serviceId, folderId))) throw invalid('parent_folder_id not found');
}

export async function listTemplates(app: Platform, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return selectTemplateList(app.db, serviceId);
}

/** Returns one page of a list with the beginning of each text, and the total count. */
export async function listTemplateSummaries(db: Db, filter: SummaryFilter, page: { limit: number; offset: number }) {
  const [templates, count] = await Promise.all([selectTemplateSummaries(db, filter, page), countTemplates(db, filter)]);
  return { templates, count };
}

/** Counts the templates in each folder, excluding its subfolders. */
export async function countInFolders(db: Db, serviceId: string): Promise<Map<string, number>> {
  const counts = await countTemplatesByFolder(db, serviceId);
  return new Map(counts.map(({ folder, count }) => [folder ?? '', Number(count)]));
}

export async function getTemplate(db: Db | Tx, serviceId: string, templateId: string): Promise<CurrentTemplateRow> {
  const template = await selectTemplate(db, templateId, serviceId);
  if (!template) throw notFound();
  return template;
}

/** Newest first. */
export async function listTemplateVersions(
  app: Platform,
  serviceId: string,
  templateId: string,
): Promise<TemplateRow[]> {
  const versions = await selectTemplateVersions(app.db, templateId, serviceId);
  if (versions.length === 0) throw notFound();
  return versions;
}

/** One page of the versions, newest first, without their texts. */
export function listVersionAuthors(db: Db, templateId: string, page: { limit: number; offset: number }) {
  return selectVersionAuthors(db, templateId, page);
}

export async function getTemplateVersion(
  app: Platform,
  serviceId: string,
  templateId: string,
  version: number,
): Promise<TemplateRow> {
  const [found] = await selectTemplateVersions(app.db, templateId, serviceId, version);
  if (!found) throw notFound();
  return found;
}

/** Finds versions of any service, including hidden templates. */
export function findVersionsOfTemplates(db: Db | Tx, wanted: { id: string; version: number }[]) {
  return selectVersionsOfTemplates(db, wanted);
}

/** Used when a service is archived; templates that are already archived keep their version. */
export async function archiveTemplatesOfService(tx: Tx, serviceId: string, now: Date): Promise<void> {
  const ids = await updateTemplates(
    tx,
    { service_id: serviceId, archived: false },
    { archived: true, folder: null },
    timestamp(now),
  );
  await archiveEmailFiles(tx, { template_ids: ids }, { now: timestamp(now) });
}

/** Used when a sender, reply-to address or letter contact is archived: its templates revert to the service's default. */
export async function detachReplyTo(tx: Tx, serviceId: string, replyToId: string, now: Date): Promise<void> {
  await updateTemplates(tx, { service_id: serviceId, reply_to: replyToId }, { reply_to: null }, timestamp(now));
}

export async function getServiceOfTemplate(db: Db, templateId: string): Promise<string> {
  return (await getVisibleTemplate(db, templateId)).service;
}

/** Locks the template, so that concurrent changes of its attachment are serialised. */
export async function getTemplateToAttachTo(tx: Tx, templateId: string): Promise<CurrentTemplateRow> {
  await lockTemplate(tx, templateId);
  return getVisibleTemplate(tx, templateId);
}

/** Creates a new version of the template. */
export async function setTemplateAttachment(
  tx: Tx,
  templateId: string,
  attachmentId: string | null,
  now: Timestamp,
): Promise<void> {
  await updateTemplates(tx, { id: templateId }, { letter_attachment_id: attachmentId }, now);
}

async function getVisibleTemplate(db: Db | Tx, templateId: string): Promise<CurrentTemplateRow> {
  const template = await selectTemplateById(db, templateId);
  if (!template || template.hidden) throw notFound();
  return template;
}

const replyTemplateName = 'Replies to STOP and HELP';

/** Returns the hidden template of replies to keywords. */
export async function getOrCreateReplyTemplate(
  tx: Tx,
  serviceId: string,
  now: Date,
): Promise<{ id: string; version: number }> {
  const created_by_id = platformUserId;
  const which = { service_id: serviceId, template_type: 'sms' as const, created_by_id, name: replyTemplateName };
  const existing = await selectTestTemplateId(tx, which);
  if (existing !== undefined) return { id: existing, version: 1 };
  const id = newId(now);
  await insertTemplate(tx, {
    ...which,
    ...{ id, subject: null, content: '((text))', has_unsubscribe_link: false, reply_to: null, hidden: true },
    ...{ folder: null, process_type: 'priority', postage: null, letter_languages: null },
    ...{ letter_welsh_subject: null, letter_welsh_content: null, created_at: timestamp(now) },
  });
  return { id, version: 1 };
}

/** Returns the hidden template of letters supplied as PDF. The service must exist. */
export async function getOrCreatePrecompiledTemplate(
  db: Db | Tx,
  serviceId: string,
  { country, now }: TemplateContext,
): Promise<CurrentTemplateRow> {
  const existing = await selectPrecompiledTemplate(db, serviceId);
  if (existing) return existing;
  await insertPrecompiledTemplate(db, {
    id: newId(now),
    service_id: serviceId,
    name: precompiledName,
    postage: country.postage.default,
    created_by_id: platformUserId,
    created_at: timestamp(now),
  });
  const made = await selectPrecompiledTemplate(db, serviceId);
  if (!made) throw notFound();
  return made;
}
