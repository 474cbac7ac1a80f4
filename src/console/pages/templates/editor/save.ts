import { listApiKeys } from '../../../../auth/api-keys.ts';
import type { Country } from '../../../../countries/country.ts';
import { type DraftPreview, previewDraft } from '../../../../delivery/previews/draft-preview.ts';
import { t } from '../../../../language/text.ts';
import { sendDraftToWriter } from '../../../../notifications/one-off/one-off.ts';
import { Failure, invalid } from '../../../../platform/failure.ts';
import { comparableKey } from '../../../../protocol/comparable-key.ts';
import { refusalOfHiddenCharacters } from '../../../../protocol/hidden-characters.ts';
import { alphabetOfService } from '../../../../templates/languages/text-alphabet.ts';
import { compileDraft, discardDraft, problemsOfDraft } from '../../../../templates/template-drafts.ts';
import { type CurrentTemplateRow, compileRow, type EmailFile } from '../../../../templates/template-row.ts';
import { updateTemplate } from '../../../../templates/template-update.ts';
import { createTemplate } from '../../../../templates/templates.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Reader } from '../library.ts';
import { tooManyPages } from '../preview.tsx';
import { type Editing, listFilledValues } from './editor-fields.ts';

const maxNameLength = 255;

/** Returns what must be corrected before the draft can be saved, by field. */
export function findProblems(
  alphabet: Country['sms']['alphabet'],
  { name, draft }: Editing,
  preview: DraftPreview | undefined,
): Record<string, string> {
  const hidden = refusalOfHiddenCharacters(name);
  const fileInSubject = draft.email_files.find(({ filename }) => mentions(draft.subject ?? '', filename));
  return {
    ...(name === '' ? { name: t('Enter a name.') } : {}),
    ...(hidden ? { name: hidden } : {}),
    ...(name.length > maxNameLength
      ? { name: t('Use at most {max} characters for the name.', { max: maxNameLength }) }
      : {}),
    ...(fileInSubject
      ? { subject: t('Files cannot be in the subject. Put the placeholder of the file into the message.') }
      : {}),
    ...(preview?.template_type === 'letter' && preview.is_too_long
      ? {
          content: tooManyPages(preview.page_count),
        }
      : {}),
    ...problemsOfDraft(alphabet, draft, preview?.api_dialect),
  };
}

export interface BreakingChanges {
  /** New placeholders, whose values programs must supply from then on. */
  added: string[];
  /** Names of the keys that could send this template. */
  keys: string[];
  /** Files that are no longer in the text and will be removed. */
  filesGoing: EmailFile[];
}

/** Returns what will break for others when the draft is saved. */
export async function breakingChanges(
  app: ConsoleApp,
  { service }: Reader,
  editing: Editing,
): Promise<BreakingChanges> {
  const { template, draft } = editing;
  if (!template) return { added: [], keys: [], filesGoing: [] };
  const filesGoing = template.email_files.filter(({ filename }) => !mentions(draft.content, filename));
  const known = new Set(compileRow(template).placeholders.map(comparableKey));
  const files = new Set(draft.email_files.map(({ filename }) => comparableKey(filename)));
  const added = compileDraft(draft, template.reply_to_text).placeholders.filter((name) => {
    const key = comparableKey(name);
    return !known.has(key) && !files.has(key);
  });
  const keys =
    added.length === 0 ? [] : (await listApiKeys(app, service.id)).filter(({ expiry_date }) => expiry_date === null);
  return { added: keys.length > 0 ? added : [], keys: keys.map(({ name }) => name), filesGoing };
}

export const isBreaking = ({ added, filesGoing }: BreakingChanges) => added.length + filesGoing.length > 0;

function mentions(text: string, name: string): boolean {
  const { placeholders } = compileDraft(
    {
      template_type: 'sms',
      content: text,
      subject: null,
      has_unsubscribe_link: false,
      letter_languages: null,
      letter_welsh_subject: null,
      letter_welsh_content: null,
    },
    null,
  );
  return placeholders.some((placeholder) => comparableKey(placeholder) === comparableKey(name));
}

/** Renders a letter to count its pages; other previews are cheap. */
export function previewEditing(
  app: ConsoleApp,
  { service }: Reader,
  { draft }: Editing,
  values: Record<string, string>,
) {
  return previewDraft(app, service.id, draft, values);
}

/** Stores the draft as a new template, or as the next version unless somebody else has stored one in the meantime. */
export async function saveEditing(
  app: ConsoleApp,
  { service, visitor }: Reader,
  editing: Editing,
  filesGoing: EmailFile[],
): Promise<CurrentTemplateRow> {
  const { template, draft, name, postage, folder } = editing;
  const texts = {
    name,
    content: draft.content,
    created_by: visitor.user.id,
    ...(draft.subject === null ? {} : { subject: draft.subject }),
    ...(postage === null ? {} : { postage }),
    ...(draft.template_type === 'email' ? { has_unsubscribe_link: draft.has_unsubscribe_link } : {}),
    ...(draft.template_type === 'letter'
      ? {
          letter_languages: draft.letter_languages,
          letter_welsh_subject: draft.letter_welsh_subject,
          letter_welsh_content: draft.letter_welsh_content,
        }
      : {}),
  };
  const saved = template
    ? await updateTemplate(app, service.id, template.id, {
        ...texts,
        changes_version: editing.version,
        archive_email_file_ids: filesGoing.map(({ id }) => id),
      })
    : await createTemplate(app, service.id, {
        ...texts,
        template_type: draft.template_type,
        ...(folder === null ? {} : { parent_folder_id: folder }),
      });
  await discardDraft(app, { id: editing.draftId, user_id: visitor.user.id });
  return saved;
}

/** Whether saving would store any change. */
export function isChanged({ template, draft, name, postage }: Editing): boolean {
  if (!template) return true;
  return (
    name !== template.name ||
    draft.content !== template.content ||
    draft.subject !== template.subject ||
    postage !== template.postage ||
    draft.has_unsubscribe_link !== template.has_unsubscribe_link ||
    draft.letter_languages !== template.letter_languages ||
    draft.letter_welsh_subject !== template.letter_welsh_subject ||
    draft.letter_welsh_content !== template.letter_welsh_content
  );
}

/** Sends a test and returns the notice for the writer. A rejection is shown with the form, so that the text is not lost. */
export async function sendTest(app: ConsoleApp, { service, visitor }: Reader, editing: Editing): Promise<string> {
  const alphabet = alphabetOfService(app.country, service);
  const { name: _, ...problems } = findProblems(alphabet, editing, undefined);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const values = listFilledValues(editing);
  const missing = compileDraft(editing.draft, null).missing(values);
  if (missing.length > 0)
    throw invalid(t('Enter values for the preview to send a test: {names}.', { names: missing.join(', ') }));
  try {
    const { to } = await sendDraftToWriter(app, service.id, visitor.user, editing.draft, values);
    return t('Test sent to {to}. It counts as one of the messages of your service.', { to });
  } catch (error) {
    const isRefusal = error instanceof Failure && ['forbidden', 'too-many'].includes(error.kind);
    throw isRefusal ? invalid(error.localised) : error;
  }
}
