import type { ApiCaller, CountAs } from '../auth/api-caller.ts';
import { refused } from '../auth/bearer.ts';
import { inEnglish } from '../language/text.ts';
import type { Db } from '../platform/db/database.ts';
import { Failure, invalid, notFound } from '../platform/failure.ts';
import { urlNotFound } from '../platform/http/declared-routes.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { maxInteger } from '../protocol/fields.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import { type CompiledTemplates, findTemplate, type ReadyTemplate, renderPreview } from './compiled-templates.ts';
import { checkLength, type EmailThreads, maxShortLength, requestsFor } from './email-threads.ts';
import { inChosenLanguage } from './languages/chosen-language.ts';
import { languagesInUse, refusalOfLanguage } from './languages/languages.ts';
import { lookUp, type TemplateLookup, type TemplateRow } from './template-row.ts';
import { selectListedTemplates, selectTemplateById, selectTemplateVersions } from './template-rows.sql.ts';

export function listPublicTemplates(db: Db, caller: ApiCaller, type?: Channel): Promise<TemplateRow[]> {
  return selectListedTemplates(db, caller.service_id, type);
}

/** Finds archived templates; hidden ones count as not found. */
export async function getPublicTemplate(db: Db, caller: ApiCaller, templateId: string): Promise<TemplateRow> {
  return templateOfCaller(lookUp(await selectTemplateById(db, templateId), caller.service_id));
}

/** A template of another service gets the same error as another service's key. */
export function templateOfCaller<Template>(result: TemplateLookup<Template>, reason?: string): Template {
  if (result.found === 'here') return result.template;
  throw result.found === 'nowhere' ? notFound(undefined, reason) : refused('serviceNotFound', reason);
}

export async function getPublicTemplateVersion(
  app: Platform,
  caller: ApiCaller,
  templateId: string,
  versionText: string,
): Promise<TemplateRow> {
  // A non-numeric version is an unknown URL; check that before the number itself.
  if (!/^\d+$/.test(versionText)) throw new Failure('not-found', 'NotFoundError', urlNotFound);
  const version = Number(versionText);
  if (version === 0) throw new Failure('invalid', 'ValidationError', 'version 0 is less than the minimum of 1');
  await getPublicTemplate(app.db, caller, templateId);
  if (version > maxInteger) throw notFound();
  const [found] = await selectTemplateVersions(app.db, templateId, caller.service_id, version);
  if (!found) throw notFound();
  return found;
}

/** `language` is ignored for templates in one language, like any unknown field. */
function readLanguageOf({ row }: ReadyTemplate, language: unknown): string | undefined {
  if (language === undefined || !languagesInUse(row)) return undefined;
  const refusal = typeof language === 'string' ? refusalOfLanguage(language) : 'Not a valid string';
  if (refusal !== undefined) throw new Failure('invalid', 'ValidationError', `language ${inEnglish(refusal)}`);
  return language as string;
}

/**
 * Accepts archived templates and messages of any length, because a preview does not check whether the message can be sent. For a long
 * email, returns JSON that a worker thread has serialised.
 */
export async function previewPublicTemplate(
  app: { compiledTemplates: CompiledTemplates; emailThreads: EmailThreads },
  caller: ApiCaller,
  templateId: string,
  { personalisation = {}, language }: { personalisation?: Personalisation | undefined; language?: unknown },
  countAs?: CountAs,
) {
  const found = templateOfCaller(await findTemplate(app, caller.service_id, templateId));
  const { row, compiled } = inChosenLanguage(app, found, {
    language: readLanguageOf(found, language),
    personalisation,
  });
  const missing = compiled.missing(personalisation);
  if (missing.length > 0) throw invalid(`Missing personalisation: ${missing.join(', ')}`);
  const before = { id: row.id, type: row.template_type, version: row.version };
  const after = { postage: row.postage };
  if (compiled.template_type !== 'email') {
    return { ...before, body: renderPreview(compiled, personalisation).body, subject: null, html: null, ...after };
  }
  const length = checkLength(compiled, personalisation);
  countAs?.(requestsFor(length));
  if (length > maxShortLength) {
    const tasks = app.emailThreads.forRequest(caller.service_id);
    return tasks.run('writePreview', compiled.source, personalisation, { before, after });
  }
  return {
    ...before,
    ...renderPreview(compiled, personalisation),
    html: compiled.htmlFragment(personalisation),
    ...after,
  };
}
