import { Type } from 'typebox';
import { asIs, t } from '../../../language/text.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { templateLanguages } from '../../../templates/languages/languages.ts';
import { compileRow, type TemplateRow } from '../../../templates/template-row.ts';
import { updateTemplate } from '../../../templates/template-update.ts';
import { getTemplateVersion, listTemplateVersions } from '../../../templates/templates.ts';
import { diffWords } from '../../../templates/word-diff.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { describeCost } from '../send/cost.ts';
import { Comparison, RestoreForm, VersionList } from './history.tsx';
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
  const versions = await listTemplateVersions(app, service.id, template.id);
  const find = (number: string, otherwise: TemplateRow | undefined) => {
    if (number === '') return otherwise;
    const found = versions.find(({ version }) => String(version) === number);
    if (!found) throw notFound();
    return found;
  };
  const after = find(query('with'), versions[0]);
  const before = find(query('compare'), versions[1] ?? versions[0]);
  if (!before || !after) throw notFound();
  const library = await openLibrary(app, request);
  const isAsSent = query('view') === 'sent';
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
        <VersionList versions={versions} before={before} after={after} now={app.clock.now()} />
        <div class="stack">
          <Comparison
            versions={versions}
            before={before}
            after={after}
            isAsSent={isAsSent}
            texts={compareTexts(before, after)}
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

function compareTexts(before: TemplateRow, after: TemplateRow) {
  const ofTemplate = compared
    .filter(([field]) => before[field] !== null || after[field] !== null)
    .map(([field, label]) => ({
      label: field === 'subject' && after.template_type === 'letter' ? t('Heading') : label,
      isChanged: before[field] !== after[field],
      changes: diffWords(before[field] ?? '', after[field] ?? ''),
    }));
  return [...ofTemplate, ...compareVariants(before, after)];
}

/** Returns a comparison for each language of either version. */
function compareVariants(before: TemplateRow, after: TemplateRow) {
  const textsOf = ({ languages }: TemplateRow) =>
    new Map(languages?.variants.map(({ language, subject, content }) => [language, joinedText(subject, content)]));
  const [old, current] = [textsOf(before), textsOf(after)];
  return [...new Set([...current.keys(), ...old.keys()])].map((language) => ({
    label: t('Text in {language}', { language: nameOf(language) }),
    isChanged: old.get(language) !== current.get(language),
    changes: diffWords(old.get(language) ?? '', current.get(language) ?? ''),
  }));
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
