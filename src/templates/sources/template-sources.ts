import type { ApiCaller } from '../../auth/api-caller.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure, type FailureDetail, forbidden } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { moveTemplates } from '../folders/template-folders.sql.ts';
import { getOrCreateFolders, listFolders } from '../folders/template-folders.ts';
import type { LanguagesRequest } from '../languages/variants.ts';
import { templateOfCaller } from '../public-templates.ts';
import { type CurrentTemplateRow, lookUp } from '../template-row.ts';
import { selectListedTemplates, selectTemplateById } from '../template-rows.sql.ts';
import { type TemplateUpdateRequest, updateWholeTemplate, withOwnPostage } from '../template-update.ts';
import { createTemplateIn, getTemplate, type NewTemplateRequest } from '../templates.ts';
import { withCategory } from './template-categories.ts';

/** A template with the fields that a file in version control needs. */
export interface TemplateSource {
  row: CurrentTemplateRow;
  /** Folder names from the root to the template. */
  folder: string[];
}

/** A request with the field names of the public API. */
interface SourceRequest
  extends Pick<NewTemplateRequest, 'postage' | 'process_type' | 'letter_welsh_subject' | 'subject'> {
  name?: string;
  body?: string;
  folder?: string[];
  sender_id?: string | null;
  template_category_id?: string | null;
  has_unsubscribe_link?: boolean;
  letter_welsh_body?: string | null;
  languages?: SourceLanguages | null;
}

type SourceLanguages = Omit<LanguagesRequest, 'variants'> & {
  variants: { language: string; subject?: string | null; body: string }[];
};

interface Change {
  /** The author of the version. */
  created_by: string;
  /** Checks everything, but stores nothing. */
  dry_run: boolean;
}

export function refuseUnlessManager({ manage_templates }: ApiCaller): void {
  if (!manage_templates) throw forbidden('This API key may not manage templates');
}

export async function listTemplateSources(db: Db, { service_id }: ApiCaller): Promise<TemplateSource[]> {
  const [templates, folders] = await Promise.all([selectListedTemplates(db, service_id), listFolders(db, service_id)]);
  return templates.map((row) => ({ row, folder: pathOf(row.folder, folders) }));
}

/** Finds archived templates too. */
export async function getTemplateSource(db: Db, caller: ApiCaller, templateId: string): Promise<TemplateSource> {
  const row = templateOfCaller(lookUp(await selectTemplateById(db, templateId), caller.service_id));
  return sourceOf(db, row);
}

export function createTemplateSource(
  app: Platform,
  { service_id }: ApiCaller,
  request: SourceRequest & { name: string; body: string; type: Channel; id?: string },
  { created_by, dry_run }: Change,
): Promise<TemplateSource> {
  const { name, body: content, type: template_type } = request;
  const now = app.clock.now();
  return inTransactionUnless(dry_run, app.db, async (tx) => {
    const folder = await getOrCreateFolders(tx, service_id, request.folder ?? [], now);
    const imported = request.id === undefined ? {} : { id: request.id };
    const fields = { ...settingsOf(request), ...imported, name, content, template_type, created_by };
    const parent = folder === null ? {} : { parent_folder_id: folder };
    return createTemplateIn(tx, service_id, { ...fields, ...parent }, { country: app.country, now });
  });
}

export async function updateTemplateSource(
  app: Platform,
  caller: ApiCaller,
  templateId: string,
  request: SourceRequest & { version?: number; archived?: boolean },
  { created_by, dry_run }: Change,
): Promise<TemplateSource> {
  templateOfCaller(lookUp(await selectTemplateById(app.db, templateId), caller.service_id));
  const { name, body: content, archived, version: changes_version, folder } = request;
  const given = { name, content, archived, changes_version, ...settingsOf(withOwnPostage(app.country, request)) };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const now = app.clock.now();
  return inTransactionUnless(dry_run, app.db, async (tx) => {
    const update: TemplateUpdateRequest & { created_by: string } = { ...fields, created_by };
    await updateWholeTemplate(tx, caller.service_id, templateId, update, { country: app.country, now });
    if (folder) {
      const into = await getOrCreateFolders(tx, caller.service_id, folder, now);
      await moveTemplates(tx, [templateId], into);
    }
    return getTemplate(tx, caller.service_id, templateId);
  });
}

/** Converts a request to the field names of the rules. A letter with a Welsh text gets the language `welsh_then_english`. */
function settingsOf(request: SourceRequest) {
  const { subject, postage, process_type, template_category_id, has_unsubscribe_link } = request;
  const { letter_welsh_subject, letter_welsh_body } = request;
  const hasLanguages = letter_welsh_subject !== undefined || letter_welsh_body !== undefined;
  const isWelsh = (letter_welsh_subject ?? letter_welsh_body ?? null) !== null;
  return {
    ...{ subject, postage, has_unsubscribe_link, reply_to: request.sender_id },
    ...withCategory({ template_category_id, ...(process_type === undefined ? {} : { process_type }) }),
    ...(hasLanguages ? { letter_languages: isWelsh ? ('welsh_then_english' as const) : ('english' as const) } : {}),
    ...{ letter_welsh_subject, letter_welsh_content: letter_welsh_body },
    ...(request.languages === undefined ? {} : { languages: languagesOf(request.languages) }),
  };
}

function languagesOf(languages: SourceLanguages | null): LanguagesRequest | null {
  if (languages === null) return null;
  return { ...languages, variants: languages.variants.map(({ body, ...variant }) => ({ ...variant, content: body })) };
}

class DryRun extends Error {
  override readonly name = 'DryRun';
}

async function inTransactionUnless(
  dryRun: boolean,
  db: Db,
  work: (tx: Tx) => Promise<CurrentTemplateRow>,
): Promise<TemplateSource> {
  let source: TemplateSource | undefined;
  try {
    return await inTransaction(db, async (tx) => {
      source = await sourceOf(tx, await work(tx));
      if (dryRun) throw new DryRun();
      return source;
    });
  } catch (error) {
    if (error instanceof DryRun && source) return source;
    throw withPublicNames(error);
  }
}

async function sourceOf(db: Db | Tx, row: CurrentTemplateRow): Promise<TemplateSource> {
  return { row, folder: row.folder === null ? [] : pathOf(row.folder, await listFolders(db, row.service)) };
}

type Folder = Awaited<ReturnType<typeof listFolders>>[number];

function pathOf(id: string | null, folders: readonly Folder[]): string[] {
  const folder = folders.find((candidate) => candidate.id === id);
  return folder ? [...pathOf(folder.parent_id, folders), folder.name] : [];
}

/** Maps field names of the rules to those of the public API. `letter_languages` has none, because it follows from the texts. */
const publicNames = new Map([
  ['template_type', ['type']],
  ['content', ['body']],
  ['letter_welsh_content', ['letter_welsh_body']],
  ['letter_languages', []],
]);
const senderNames = /^(letter_contact_id|email_reply_to_id|sms_sender_id)\b/;

/** Returns the same error with the field names of the public API. */
function withPublicNames(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, code, detail, problems, headers, cause } = error;
  return new Failure(kind, code, translated(detail), { problems, headers, cause });
}

function translated(detail: FailureDetail): FailureDetail {
  if (typeof detail === 'string') return detail.replace(senderNames, 'sender_id');
  return Object.fromEntries(
    Object.entries(detail).flatMap(([name, texts]) =>
      (publicNames.get(name) ?? [name]).map((publicName) => [publicName, texts]),
    ),
  );
}
