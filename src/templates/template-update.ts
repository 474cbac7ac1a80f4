import { isDeepStrictEqual } from 'node:util';
import type { Country } from '../countries/country.ts';
import { homePostage } from '../countries/postage.ts';
import { t } from '../language/text.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { conflict, invalidField } from '../platform/failure.ts';
import { canonicalId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { archiveEmailFiles, liveEmailFileIds } from './files/template-email-files.sql.ts';
import { readLanguages, refuseVariantsOfWelshLetter } from './languages/variants.ts';
import {
  getServiceRules,
  refuseTooMuchText,
  refuseUnlessChannelIsAllowed,
  refuseUnlessContentFits,
  refuseUnlessLanguagesFit,
  refuseUnlessReplyToExists,
  refuseUnlessSubjectFits,
  refuseUnsubscribeLinkUnlessEmail,
} from './template-checks.ts';
import type { CurrentTemplateRow } from './template-row.ts';
import { lockTemplate, updateTemplates } from './templates.sql.ts';
import { getTemplate, type NewTemplateRequest } from './templates.ts';

/** Type and service cannot be changed; a request that sends them back is accepted. */
export type TemplateUpdateRequest = Partial<Omit<NewTemplateRequest, 'parent_folder_id'>> & {
  archived?: boolean;
  redact_personalisation?: boolean;
  archive_email_file_ids?: string[];
  /** The version that the change is based on; rejected if there is a newer one. Without it, the last request wins. */
  changes_version?: number;
};

/**
 * One route, five behaviours. Redacting ignores all other fields of the request, and in the protocol so does changing the reply-to. With
 * `changes_version`, which the protocol does not have, the reply-to and the other fields change together, as one version.
 */
export function updateTemplate(
  app: Platform,
  serviceId: string,
  templateId: string,
  sent: TemplateUpdateRequest,
): Promise<CurrentTemplateRow> {
  const request = withOwnPostage(app.country, sent);
  return inTransaction(app.db, async (tx) => {
    const template = await lockForUpdate(tx, serviceId, templateId, request.changes_version);
    const now = timestamp(app.clock.now());
    if (request.redact_personalisation === true) await redact(tx, template, request, now);
    else if (request.reply_to !== undefined && request.changes_version === undefined) {
      await changeReplyTo(tx, template, request.reply_to, now);
    } else await edit(tx, template, request, { country: app.country, now });
    return getTemplate(tx, serviceId, templateId);
  });
}

/** Converts the names of postage classes that clients of other countries send. */
export function withOwnPostage<Request extends { postage?: string }>(
  { postage }: Pick<Country, 'postage'>,
  request: Request,
): Request {
  return request.postage === undefined ? request : { ...request, postage: homePostage(postage, request.postage) };
}

async function lockForUpdate(tx: Tx, serviceId: string, templateId: string, changesVersion: number | undefined) {
  await lockTemplate(tx, templateId);
  const template = await getTemplateForUpdate(tx, serviceId, templateId);
  if (changesVersion !== undefined && changesVersion !== template.version) {
    throw conflict(
      t('Somebody has changed the template in the meantime: version {version} is the newest', {
        version: String(template.version),
      }),
    );
  }
  return template;
}

/** Changes all fields of the request as one version, including the reply-to. Creates no version if only the author differs. */
export async function updateWholeTemplate(
  tx: Tx,
  serviceId: string,
  templateId: string,
  { created_by, ...request }: TemplateUpdateRequest & { created_by: string },
  { country, now }: { country: Country; now: Date },
): Promise<CurrentTemplateRow> {
  const template = await lockForUpdate(tx, serviceId, templateId, request.changes_version);
  const isChange = Object.keys(await changesWithLanguages(tx, template, request, country)).length > 0;
  await edit(tx, template, isChange ? { ...request, created_by } : request, { country, now: timestamp(now) });
  return getTemplate(tx, serviceId, templateId);
}

/** Runs before the body is validated. */
export async function getTemplateForUpdate(
  db: Db | Tx,
  serviceId: string,
  templateId: string,
): Promise<CurrentTemplateRow> {
  const template = await getTemplate(db, serviceId, templateId);
  const { permissions } = await getServiceRules(db, serviceId);
  refuseUnlessChannelIsAllowed(permissions, template.template_type, 'Updating');
  return template;
}

/** Cannot be undone. */
async function redact(tx: Tx, template: CurrentTemplateRow, request: TemplateUpdateRequest, now: string) {
  if (request.created_by === undefined) throw invalidField('created_by', 'Field is required');
  if (template.redact_personalisation) return;
  await updateTemplates(
    tx,
    { id: template.id },
    { redact_personalisation: true, created_by_id: request.created_by },
    now,
  );
}

async function changeReplyTo(tx: Tx, template: CurrentTemplateRow, replyTo: string | null, now: string) {
  await refuseUnlessReplyToExists(tx, template.template_type, template.service, replyTo);
  const reply_to = replyTo === null ? null : canonicalId(replyTo);
  if (reply_to !== template.reply_to) await updateTemplates(tx, { id: template.id }, { reply_to }, now);
}

const texts = ['subject', 'content', 'letter_welsh_content', 'languages'];

async function edit(
  tx: Tx,
  template: CurrentTemplateRow,
  request: TemplateUpdateRequest,
  { country, now }: { country: Country; now: string },
) {
  const { template_type, service } = template;
  if (request.reply_to) await refuseUnlessReplyToExists(tx, template_type, service, request.reply_to);
  if (request.subject !== undefined) refuseUnlessSubjectFits(template_type, request.subject);
  const change = await changesWithLanguages(tx, template, request, country);
  const changed = { ...template, ...change };
  refuseUnlessLanguagesFit(changed, request);
  refuseVariantsOfWelshLetter(changed);
  if (texts.some((field) => Object.hasOwn(change, field))) refuseTooMuchText(changed);
  refuseUnsubscribeLinkUnlessEmail(changed.template_type, changed.has_unsubscribe_link);
  const given = request.archive_email_file_ids ?? [];
  const leaving = change.archived ? 'all' : await liveEmailFileIds(tx, template.id, given);
  if (Object.keys(change).length === 0 && leaving.length === 0) return;
  if ('content' in change || 'letter_welsh_content' in change) {
    refuseUnlessContentFits(changed, rulesOf(template, country));
  }
  await updateTemplates(tx, { id: template.id }, { ...change, ...(changed.archived ? { folder: null } : {}) }, now);
  await archiveEmailFiles(tx, leaving === 'all' ? { template_ids: [template.id] } : { ids: leaving }, {
    now,
    archived_by_id: request.created_by,
  });
}

function rulesOf({ api_dialect: dialect, keeps_characters: keepsCharacters }: CurrentTemplateRow, country: Country) {
  return { country, dialect, keepsCharacters };
}

async function changesWithLanguages(
  tx: Tx,
  template: CurrentTemplateRow,
  request: TemplateUpdateRequest,
  country: Country,
): Promise<Partial<CurrentTemplateRow>> {
  const change = changesOf(template, request);
  if (request.languages === undefined) return change;
  const { permissions } = await getServiceRules(tx, template.service);
  const rules = { permissions, ...rulesOf(template, country) };
  const languages = readLanguages({ ...template, ...change }, request.languages, rules);
  return isDeepStrictEqual(languages, template.languages) ? change : { ...change, languages };
}

function changesOf(template: CurrentTemplateRow, request: TemplateUpdateRequest): Partial<CurrentTemplateRow> {
  const isLetter = template.template_type === 'letter';
  return changedFields(template, {
    name: request.name,
    content: request.content,
    subject: template.template_type === 'sms' ? undefined : (request.subject ?? undefined),
    postage: isLetter ? request.postage : undefined,
    process_type: request.process_type,
    category_id: request.category_id,
    archived: request.archived,
    letter_languages: isLetter ? (request.letter_languages ?? undefined) : undefined,
    letter_welsh_subject: isLetter ? request.letter_welsh_subject : undefined,
    letter_welsh_content: isLetter ? request.letter_welsh_content : undefined,
    has_unsubscribe_link: request.has_unsubscribe_link ?? undefined,
    reply_to: request.reply_to ? canonicalId(request.reply_to) : request.reply_to,
    created_by_id: request.created_by === undefined ? undefined : canonicalId(request.created_by),
  });
}

/** Returns only the fields that differ, so that a request without changes creates no new version. */
export function changedFields<Row extends object>(row: Row, given: Partial<Row>): Partial<Row> {
  const differs = ([field, value]: [string, unknown]) => value !== undefined && value !== row[field as keyof Row];
  return Object.fromEntries(Object.entries(given).filter(differs)) as Partial<Row>;
}
