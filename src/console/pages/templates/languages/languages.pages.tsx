import { Type } from 'typebox';
import { type PreviewedDraft, previewDraft } from '../../../../delivery/previews/draft-preview.ts';
import { asIs, type Text as Shown, t } from '../../../../language/text.ts';
import { invalid, invalidField, notFound } from '../../../../platform/failure.ts';
import { acceptsLongText } from '../../../../platform/http/body/body-limits.ts';
import {
  readLanguage,
  type TemplateLanguages,
  templateLanguages,
  withoutPermission,
} from '../../../../templates/languages/languages.ts';
import { alphabetOfService } from '../../../../templates/languages/text-alphabet.ts';
import { problemsOfDraft } from '../../../../templates/template-drafts.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import { updateTemplate } from '../../../../templates/template-update.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, PageRequest, Pages, View } from '../../../page.ts';
import { describeCost } from '../../send/cost.ts';
import { getEditableTemplate, getSeenTemplate, templatePath } from '../library.ts';
import {
  differencesOf,
  LanguageSettings,
  type ListedText,
  nameOf,
  placeholdersIn,
  VariantEditor,
} from './languages.tsx';

type Writing = PageRequest<{ service: 'templates' }>;

const Text = Type.Optional(Type.String());
const Version = Type.String({ pattern: '^[0-9]{1,9}$' });

/** The texts of a template in other languages. Each has a page that shows it beside the template's own text. */
export function templateLanguagePages(pages: Pages, app: ConsoleApp): void {
  const who = { service: 'templates' } as const;
  const path = '/services/:service_id/templates/:template_id/languages';

  pages.add(path, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getMultilingual(app, request, getSeenTemplate);
      return {
        ...frameOf(template, t('Languages of {template}', { template: template.name })),
        content: (
          <LanguageSettings
            template={template}
            texts={await listTexts(request, template)}
            formState={formState}
            languages={languagesOf(app, template)}
          />
        ),
      };
    },
    form: Type.Object({ version: Version, default: Type.String(), field: Text, refuse: Text }),
    needs: { default: t('Enter the language of the message.') },
    async act(request, form) {
      const template = await getMultilingual(app, request, getEditableTemplate);
      const { languages } = template;
      if (!languages) throw invalid(t('Add a language first.'));
      const changed = {
        default: readTag('default', form.default),
        field: form.field || null,
        refuse_unknown: form.refuse === 'yes',
        variants: languages.variants,
      };
      await save(request, template, form.version, changed);
      return { to: `${templatePath(request.service.id, template.id)}/languages`, notice: t('Languages saved.') };
    },
  });

  pages.add(`${path}/new`, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getMultilingual(app, request, getSeenTemplate);
      return showEditor(request, template, undefined, formState);
    },
    form: Type.Object({ version: Version, do: Text, language: Type.String(), subject: Text, content: Text }),
    needs: { language: t('Enter a language, such as fr.') },
    ...acceptsLongText,
    async act(request, form) {
      const template = await getMultilingual(app, request, getEditableTemplate);
      const language = readTag('language', form.language);
      if (form.do === 'preview') return showEditor(request, template, undefined, stateOf(form));
      return saveText(request, template, form.version, { language, ...textsOf(template, form) }, false);
    },
  });

  pages.add(`${path}/:language`, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getMultilingual(app, request, getSeenTemplate);
      return showEditor(request, template, findVariant(template, request.param('language')), formState);
    },
    form: Type.Object({ version: Version, do: Text, subject: Text, content: Text }),
    ...acceptsLongText,
    async act(request, form) {
      const template = await getMultilingual(app, request, getEditableTemplate);
      const variant = findVariant(template, request.param('language'));
      if (form.do === 'preview') return showEditor(request, template, variant, stateOf(form));
      if (form.do !== 'remove') {
        const text = { language: variant.language, ...textsOf(template, form) };
        return saveText(request, template, form.version, text, true);
      }
      const variants = (template.languages?.variants ?? []).filter(({ language }) => language !== variant.language);
      await save(request, template, form.version, { ...languagesOf(app, template), variants });
      return { to: `${templatePath(request.service.id, template.id)}/languages`, notice: t('Language removed.') };
    },
  });

  async function listTexts({ service }: Writing, template: CurrentTemplateRow): Promise<ListedText[]> {
    const { default: own, variants } = languagesOf(app, template);
    const texts = [{ language: own, subject: template.subject, content: template.content }, ...variants];
    const placeholders = placeholdersIn(template);
    return Promise.all(
      texts.map(async (text, index) => ({
        language: text.language,
        isOwn: index === 0,
        differences: differencesOf(placeholders, placeholdersIn(text)),
        cost: await costOf(service.id, template, text),
      })),
    );
  }

  /** Only that of a text message: to know that of a letter, each of fifty would be drawn. */
  async function costOf(serviceId: string, template: CurrentTemplateRow, text: Text) {
    if (template.template_type !== 'sms') return undefined;
    return describeCost(app, await previewDraft(app, serviceId, draftOf(template, text), {}), null);
  }

  async function saveText(
    request: Writing,
    template: CurrentTemplateRow,
    version: string,
    text: TemplateLanguages['variants'][number],
    isKnown: boolean,
  ) {
    const languages = languagesOf(app, template);
    const others = languages.variants.filter(({ language }) => language !== text.language);
    const isTaken = text.language === languages.default || (!isKnown && others.length < languages.variants.length);
    if (isTaken) throw invalidField('language', t('The template has a text in this language already.'));
    const alphabet = alphabetOfService(app.country, request.service);
    const problems = problemsOfDraft(alphabet, draftOf(template, text), template.api_dialect);
    if (Object.keys(problems).length > 0) throw invalid(listed(problems));
    await save(request, template, version, { ...languages, variants: [...others, text] });
    return { to: `${templatePath(request.service.id, template.id)}/languages`, notice: t('Language saved.') };
  }

  async function save(
    { service, visitor }: Writing,
    template: CurrentTemplateRow,
    version: string,
    languages: Omit<TemplateLanguages, 'enabled'>,
  ): Promise<void> {
    await updateTemplate(app, service.id, template.id, {
      languages,
      created_by: visitor.user.id,
      changes_version: Number(version),
    });
  }

  async function showEditor(
    request: Writing,
    template: CurrentTemplateRow,
    variant: TemplateLanguages['variants'][number] | undefined,
    formState: FormState,
  ): Promise<View> {
    const typed = (name: string, stored: string) => String([formState.typed.get(name) ?? stored].flat()[0] ?? '');
    const language = readLanguage(variant?.language ?? typed('language', '')) ?? '';
    const text = {
      language,
      subject: template.template_type === 'sms' ? null : typed('subject', variant?.subject ?? ''),
      content: typed('content', variant?.content ?? ''),
    };
    const shown = template.template_type === 'sms' ? text : (variant ?? text);
    const preview = await previewDraft(app, request.service.id, draftOf(template, shown), {});
    return {
      ...frameOf(
        template,
        variant
          ? t('{template} in {language}', { template: template.name, language: nameOf(variant.language) })
          : t('Add a language to {template}', { template: template.name }),
      ),
      crumbs: [
        { label: asIs(template.name), to: templatePath(request.service.id, template.id) },
        { label: t('Languages'), to: `${templatePath(request.service.id, template.id)}/languages` },
      ],
      scripts: ['editor'],
      content: (
        <VariantEditor
          template={template}
          own={languagesOf(app, template).default}
          text={text}
          isNew={!variant}
          formState={formState}
          alphabet={alphabetOfService(app.country, request.service)}
          preview={preview}
          cost={await describeCost(app, preview, template.postage)}
        />
      ),
    };
  }
}

type Text = TemplateLanguages['variants'][number];

/** Archived templates and services without the permission do not have these pages. */
async function getMultilingual(
  app: ConsoleApp,
  request: Writing,
  get: typeof getSeenTemplate,
): Promise<CurrentTemplateRow> {
  const template = await get(app, request, request.param('template_id'));
  const isBilingual = template.letter_languages === 'welsh_then_english';
  if (!request.service.permissions.includes(templateLanguages) || template.archived || isBilingual) throw notFound();
  return template;
}

function findVariant({ languages }: CurrentTemplateRow, language: string): Text {
  const variant = languages?.variants.find((candidate) => candidate.language === language);
  if (!variant) throw notFound();
  return variant;
}

/** Returns the languages of the template, or the initial ones. */
function languagesOf(app: ConsoleApp, { languages }: CurrentTemplateRow): Omit<TemplateLanguages, 'enabled'> {
  if (languages) return withoutPermission(languages);
  const own = app.country.profile.languages[0] ?? 'en';
  return { default: own, field: 'language', refuse_unknown: false, variants: [] };
}

function readTag(name: string, text: string): string {
  const language = readLanguage(text);
  if (language === undefined) throw invalidField(name, t('Enter a language tag, such as fr or fr-CA.'));
  return language;
}

/** Browsers send line breaks as CRLF. */
function textsOf(
  { template_type }: CurrentTemplateRow,
  { subject = '', content = '' }: Partial<Record<string, string>>,
) {
  return { subject: template_type === 'sms' ? null : subject, content: content.replaceAll(/\r\n?/g, '\n') };
}

function stateOf(form: object): FormState {
  return { typed: new Map(Object.entries(form)), problems: new Map() };
}

const listed = (problems: Record<string, string>) =>
  Object.fromEntries(Object.entries(problems).map(([field, text]) => [field, [text]]));

function draftOf(template: CurrentTemplateRow, { language, subject, content }: Text): PreviewedDraft {
  return { ...template, subject, content, ...(language === '' ? {} : { language }) };
}

function frameOf(template: CurrentTemplateRow, title: Shown) {
  return { title, crumbs: [{ label: asIs(template.name), to: templatePath(template.service, template.id) }] };
}
