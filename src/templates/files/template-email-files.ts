import { timestamp } from '../../platform/clock.ts';
import { allowLongPauses, type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { withoutHiddenCharacters } from '../../protocol/hidden-characters.ts';
import { emailFilePath } from '../template-row.ts';
import { changedFields, getTemplateForUpdate } from '../template-update.ts';
import { lockTemplate, updateTemplates } from '../templates.sql.ts';
import { getTemplate } from '../templates.ts';
import {
  describeUnsupported,
  extensionOf,
  fileIsTooLarge,
  fileTypeOfName,
  maxFileBytes,
  readUpload,
} from './file-types.ts';
import {
  archiveEmailFiles,
  type EmailFileChange,
  type EmailFileRow,
  insertEmailFile,
  selectEmailFile,
  selectEmailFiles,
  updateEmailFileRow,
} from './template-email-files.sql.ts';

type UploadDeps = Platform & { virusScanner: VirusScanner };
interface OfTemplate {
  service_id: string;
  template_id: string;
}
type OfFile = OfTemplate & { email_file_id: string };

interface EmailFileSettings {
  filename?: string;
  link_text?: string | null;
  retention_period?: number;
  validate_users_email?: boolean;
  pending?: boolean;
}

interface NewEmailFileRequest extends EmailFileSettings {
  id?: string;
  filename: string;
  created_by_id: string;
  content: string;
}

const defaultRetentionWeeks = 26;

/** Pending unless the request sets it; only live files are part of the template. */
export async function createEmailFile(
  app: UploadDeps,
  of: OfTemplate,
  request: NewEmailFileRequest,
): Promise<EmailFileRow> {
  const filename = withoutHiddenCharacters(request.filename);
  refuseUnlessNameCanBeLinked(filename);
  const content = readUpload(request.content);
  if (content.length > maxFileBytes) throw invalidField('content', fileIsTooLarge);
  await refuseIfInfected(app.virusScanner, content);
  return inTransaction(app.db, async (tx) => {
    await allowLongPauses(tx);
    await lockTemplate(tx, of.template_id);
    const template = await getTemplateForUpdate(tx, of.service_id, of.template_id);
    if (template.template_type !== 'email') throw invalid('Cannot add an email file to a non-email template');
    const now = app.clock.now();
    const id = request.id ?? newId(now);
    await insertEmailFile(tx, {
      id,
      service_id: template.service,
      template_id: template.id,
      template_version: template.version,
      filename,
      filename_key: comparableKey(filename),
      link_text: request.link_text ?? null,
      retention_period: request.retention_period ?? defaultRetentionWeeks,
      validate_users_email: request.validate_users_email ?? true,
      pending: request.pending ?? true,
      created_by_id: request.created_by_id,
      created_at: timestamp(now),
    });
    const file = await getEmailFile(tx, { ...of, email_file_id: id });
    await app.files.put(emailFilePath(template.service, file.id), content);
    return file;
  });
}

export async function listEmailFiles(app: Platform, of: OfTemplate): Promise<EmailFileRow[]> {
  await getTemplate(app.db, of.service_id, of.template_id);
  return selectEmailFiles(app.db, of.service_id, of.template_id);
}

/** Returns archived files too. */
export async function getEmailFile(db: Db | Tx, of: OfFile): Promise<EmailFileRow> {
  const { service_id, template_id, email_file_id: id } = of;
  const file = await selectEmailFile(db, { service_id, template_id, id });
  if (!file) throw notFound();
  return file;
}

/** Updating a live file creates a version of its template; a pending file is not part of it yet. */
export function updateEmailFile(app: Platform, of: OfFile, request: EmailFileSettings): Promise<EmailFileRow> {
  return inTransaction(app.db, async (tx) => {
    await allowLongPauses(tx);
    const file = await lockEmailFile(tx, of);
    if (request.pending === true && !file.pending) throw invalidField('pending', 'A live file stays live.');
    const change = changesOf(file, request);
    if (change.filename !== undefined) refuseUnlessNameCanBeLinked(change.filename);
    if (change.pending === false) await refuseUnlessUploaded(app, of, file);
    if (Object.keys(change).length === 0) return file;
    const now = timestamp(app.clock.now());
    if (!file.pending) await updateTemplates(tx, { id: file.template_id }, {}, now);
    await updateEmailFileRow(tx, file, change, now);
    return getEmailFile(tx, of);
  });
}

export function archiveEmailFile(app: Platform, of: OfFile, archivedById: string): Promise<EmailFileRow> {
  return inTransaction(app.db, async (tx) => {
    const file = await lockEmailFile(tx, of);
    const now = timestamp(app.clock.now());
    if (!file.pending) await updateTemplates(tx, { id: file.template_id }, {}, now);
    await archiveEmailFiles(tx, { ids: [file.id] }, { now, archived_by_id: archivedById });
    return getEmailFile(tx, of);
  });
}

/**
 * The link replaces `((filename))` in the template, so the name must be a valid placeholder. The page behind the link displays the file by
 * its type.
 */
function refuseUnlessNameCanBeLinked(filename: string): void {
  if (!fileTypeOfName(filename)) throw invalidField('filename', describeUnsupported(extensionOf(filename)));
  if (/[()]|\?\?/.test(filename)) throw invalidField('filename', 'Must not contain brackets or ??.');
}

/** The file store may have lost the content, for example after a restore without files. */
async function refuseUnlessUploaded(app: Platform, { service_id }: OfFile, { id }: EmailFileRow): Promise<void> {
  if (!(await app.files.get(emailFilePath(service_id, id)))) throw invalid('The file has not been uploaded');
}

async function lockEmailFile(tx: Tx, of: OfFile): Promise<EmailFileRow> {
  await lockTemplate(tx, of.template_id);
  await getTemplateForUpdate(tx, of.service_id, of.template_id);
  const file = await getEmailFile(tx, of);
  if (file.archived_at !== null) throw invalid('email-file-already-archived');
  return file;
}

function changesOf(file: EmailFileRow, request: EmailFileSettings): EmailFileChange {
  const { link_text, retention_period, validate_users_email, pending } = request;
  const filename = request.filename === undefined ? undefined : withoutHiddenCharacters(request.filename);
  const change = changedFields(file, { filename, link_text, retention_period, validate_users_email, pending });
  return filename !== undefined && 'filename' in change ? { ...change, filename_key: comparableKey(filename) } : change;
}
