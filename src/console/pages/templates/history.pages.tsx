import { Type } from 'typebox';
import { asIs, t } from '../../../language/text.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import type { TextPair } from '../../../rendering/word-diff.ts';
import { compareTexts } from '../../../templates/email-threads.ts';
import { templateLanguages } from '../../../templates/languages/languages.ts';
import { compileRow, type TemplateRow } from '../../../templates/template-row.ts';
import { updateTemplate } from '../../../templates/template-update.ts';
import { getTemplateVersion, listVersionAuthors } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { OffsetPager, pageNumber, pageSize } from '../../parts/pager.tsx';
import { describeCost } from '../send/cost.ts';
import { type ComparedText, Comparison, historyUrl, RestoreForm, type Shown, VersionList } from './history.tsx';
import { nameOf } from './languages/languages.tsx';
import {
  buildCrumbs,
  getEditableTemplate,
  getSeenTemplate,
  has,
  openLibrary,
  refuseUnless,
  templatePath,
} from './library.ts';
import { previewVersion, versionUrl } from './preview.pages.ts';
import { Preview } from './preview.tsx';

type Seen = PageRequest<{ service: 'any'; organisation: true }>;

export function historyPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/templates/:template_id/history', {
    who: { service: 'any', organisation: true },
    below: 'Templates',
    show: (request) => historyView(app, request),
    form: Type.Object({
      restore: Type.String({ pattern: '^[0-9]{1,9}$' }),
      version: Type.String({ pattern: '^[0-9]{1,9}$' }),
    }),
    async act(request, form) {
      refuseUnless(request, 'templates');
      const { service, visitor } = request;
      const template = await getEditableTemplate(app, request, request.param('template_id'));
      const old = await getTemplateVersion(app, service.id, template.id, Number(form.restore));
      if (old.version === template.version) throw invalidField('', t('Choose an older version. This one is current.'));
      const saved = await updateTemplate(app, service.id, template.id, {
        ...toRestored(old, service.permissions.includes(templateLanguages)),
        created_by: visitor.user.id,
        changes_version: Number(form.version),
      });
      const notice = t('Version {version} restored as version {version2}.', {
        version: old.version,
        version2: saved.version,
      });
      return { to: templatePath(service.id, template.id), notice };
    },
  });
}

function readVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound();
  return Number(text);
}

/** Restoring a version restores its texts and settings, but not its files. */
function toRestored(old: TemplateRow, isMultilingual: boolean) {
  return {
    ...(isMultilingual ? { languages: old.languages } : {}),
    name: old.name,
    content: old.content,
    ...(old.subject === null ? {} : { subject: old.subject }),
    ...(old.postage === null ? {} : { postage: old.postage }),
    ...(old.template_type === 'email' ? { has_unsubscribe_link: old.has_unsubscribe_link } : {}),
    ...(old.letter_languages === null
      ? {}
      : {
          letter_languages: old.letter_languages,
          letter_welsh_subject: old.letter_welsh_subject,
          letter_welsh_content: old.letter_welsh_content,
        }),
  };
}

async function historyView(app: ConsoleApp, request: Seen): Promise<View> {
  const { service, query } = request;
  const template = await getSeenTemplate(app, request, request.param('template_id'));
  const page = pageNumber(query('page'));
  const versions = await listVersionAuthors(app.db, template.id, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
  });
  const find = async (number: string, otherwise: number | undefined) => {
    if (number === '' && otherwise === undefined) throw notFound();
    const version = number === '' ? Number(otherwise) : readVersion(number);
    return version === template.version ? template : getTemplateVersion(app, service.id, template.id, version);
  };
  const [newest, previous = newest] = versions;
  const after = await find(query('with'), newest?.version);
  const before = await find(query('compare'), previous?.version);
  const languages = listChangedLanguages(before, after);
  const language = languages.includes(query('language')) ? query('language') : languages[0];
  const isAsSent = query('view') === 'sent';
  const shown: Shown = { before, after, versions, page, language, isAsSent };
  const library = await openLibrary(app, request);
  const canRestore = has(request, 'templates') && !template.archived && before.version !== template.version;
  return {
    title: t('History'),
    about: asIs(template.name),
    crumbs: [
      ...buildCrumbs(library, service.id, template.folder),
      { label: asIs(template.name), to: templatePath(service.id, template.id) },
    ],
    content: (
      <div class="aside aside--lead">
        <div class="stack">
          <VersionList {...shown} now={app.clock.now()} />
          <OffsetPager
            page={page}
            total={template.version}
            to={(other) => historyUrl(template, { page: String(other) })}
            byTime
          />
        </div>
        <div class="stack">
          <Comparison
            {...shown}
            languages={languages}
            texts={isAsSent ? [] : await compareVersions(app, shown)}
            fields={comparePlaceholders(before, after)}
          >
            {isAsSent && (
              <div class="cols cols--wide">
                {await renderVersion(app, request, before, '_before')}
                {before.version !== after.version && (await renderVersion(app, request, after, '_after'))}
              </div>
            )}
          </Comparison>
          {canRestore && <RestoreForm old={before} current={template.version} />}
        </div>
      </div>
    ),
  };
}

async function renderVersion(app: ConsoleApp, request: Seen, row: TemplateRow, id: string) {
  const preview = await previewVersion(app, request, row.id, row.version);
  const cost = await describeCost(app, preview, row.postage);
  const from = versionUrl(request.service.id, row);
  return (
    <Preview
      preview={preview}
      from={from}
      cost={cost}
      title={t('Version {version}', { version: row.version })}
      id={id}
    />
  );
}

const compared = [
  ['name', t('Name')],
  ['letter_welsh_subject', t('Heading in Welsh')],
  ['letter_welsh_content', t('Message in Welsh')],
  ['subject', t('Subject')],
  ['content', t('Message')],
] as const;

/** Compares the texts of the template itself, and those in the chosen language. */
async function compareVersions(app: ConsoleApp, { before, after, language }: Shown): Promise<ComparedText[]> {
  const ofTemplate = compared
    .filter(([field]) => before[field] !== null || after[field] !== null)
    .map(([field, label]) => ({
      label: field === 'subject' && after.template_type === 'letter' ? t('Heading') : label,
      before: before[field] ?? '',
      after: after[field] ?? '',
    }));
  const ofLanguage =
    language === undefined
      ? []
      : [
          {
            label: t('Text in {language}', { language: nameOf(language) }),
            before: textsOf(before).get(language) ?? '',
            after: textsOf(after).get(language) ?? '',
          },
        ];
  const texts = [...ofTemplate, ...ofLanguage];
  const pairs: TextPair[] = texts.map((text) => ({ before: text.before, after: text.after }));
  const changes = await compareTexts(app.emailThreads, after.service, pairs);
  return texts.map((text, index) => ({
    label: text.label,
    isChanged: text.before !== text.after,
    changes: changes[index] ?? [],
  }));
}

/** Returns the languages, other than that of the template itself, in which the versions differ. */
function listChangedLanguages(before: TemplateRow, after: TemplateRow): string[] {
  const [old, current] = [textsOf(before), textsOf(after)];
  const all = new Set([...current.keys(), ...old.keys()]);
  return [...all].filter((language) => old.get(language) !== current.get(language));
}

function textsOf({ languages }: TemplateRow): Map<string, string> {
  return new Map(languages?.variants.map(({ language, subject, content }) => [language, joinedText(subject, content)]));
}

const joinedText = (subject: string | null, content: string) =>
  subject === null ? content : `${subject}\n\n${content}`;

function comparePlaceholders(before: TemplateRow, after: TemplateRow) {
  const [old, current] = [compileRow(before).placeholders, compileRow(after).placeholders];
  return {
    removed: old.filter((name) => !current.includes(name)),
    added: current.filter((name) => !old.includes(name)),
  };
}
