import type { Country } from '../../../../countries/country.ts';
import type { DraftPreview } from '../../../../delivery/previews/draft-preview.ts';
import { formatted, type Text, t } from '../../../../language/text.ts';
import { comparableKey } from '../../../../protocol/comparable-key.ts';
import { splitAtPlaceholders } from '../../../../rendering/placeholders.ts';
import {
  languagesInUse,
  listLanguages,
  type TemplateLanguages,
  type TemplateVariant,
} from '../../../../templates/languages/languages.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import { pageUrl, withQuery } from '../../../links.ts';
import type { FormState } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm, Submit } from '../../../parts/form.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Segments } from '../../../parts/tabs.tsx';
import { TemplateText } from '../../../parts/text.tsx';
import { TextEditor } from '../editor/editor-form.tsx';
import { templatePath } from '../library.ts';
import { versionUrl } from '../preview.pages.ts';
import { Preview } from '../preview.tsx';

type Texts = Pick<TemplateVariant, 'subject' | 'content'>;

type Placeholders = ReadonlyMap<string, string>;

/** Returns the placeholders of a text, by what makes two of them the same. */
export function placeholdersIn({ subject, content }: Texts): Placeholders {
  return new Map(
    [subject ?? '', content]
      .flatMap((text) => splitAtPlaceholders(text))
      .flatMap((part) => (typeof part === 'string' ? [] : [[comparableKey(part.name), part.name] as const])),
  );
}

/** Returns the placeholders that only one of two texts has. */
export function differencesOf(before: Placeholders, after: Placeholders): { missing: string[]; added: string[] } {
  const without = (names: Placeholders, known: Placeholders) =>
    [...names].flatMap(([key, name]) => (known.has(key) ? [] : [name]));
  return { missing: without(before, after), added: without(after, before) };
}

function Differences({ of: { missing, added } }: { of: ReturnType<typeof differencesOf> }) {
  if (missing.length + added.length === 0) return null;
  return (
    <Notice tone="amber">
      {missing.length > 0 && (
        <p>{t('This text does not have these placeholders: {names}.', { names: listed(missing) })}</p>
      )}
      {added.length > 0 && (
        <p>
          {t('Only this text has these placeholders: {names}. Its messages need their values.', {
            names: listed(added),
          })}
        </p>
      )}
    </Notice>
  );
}

const listed = (names: string[]) => names.map((name) => `((${name}))`).join(', ');

export interface ListedText {
  language: string;
  isOwn: boolean;
  differences: ReturnType<typeof differencesOf>;
  cost: string | undefined;
}

interface SettingsProps {
  template: CurrentTemplateRow;
  texts: ListedText[];
  languages: Omit<TemplateLanguages, 'enabled'>;
  formState: FormState;
}

export function LanguageSettings({ template, texts, languages, formState }: SettingsProps) {
  const path = `${templatePath(template.service, template.id)}/languages`;
  return (
    <div class="stack measure">
      <ul class="card list">
        {texts.map(({ language, isOwn, differences, cost }) => (
          <li key={language}>
            <span>
              <b>{language}</b> <span class="muted">{nameOf(language)}</span>
            </span>
            {cost && <span class="muted">{cost}</span>}
            {differences.missing.length + differences.added.length > 0 && <span>{t('Different placeholders')}</span>}
            <a href={pageUrl(isOwn ? `${templatePath(template.service, template.id)}/edit` : `${path}/${language}`)}>
              {t('Edit {language}', { language: nameOf(language) })}
            </a>
          </li>
        ))}
      </ul>
      <div>
        <ButtonLink to={`${path}/new`}>{t('Add a language')}</ButtonLink>
      </div>
      {languages.variants.length > 0 && (
        <SaveForm back={templatePath(template.service, template.id)}>
          <input type="hidden" name="version" value={template.version} />
          <Field
            formState={formState}
            name="default"
            label={t('Language of the message')}
            hint={t(
              'A language tag, such as en or en-GB. Messages in a language that the template does not have get this text.',
            )}
            value={languages.default}
            short
          />
          <Field
            formState={formState}
            name="field"
            label={t('Placeholder that chooses the language')}
            hint={t('A value such as fr chooses the text. The placeholder does not have to be in the message.')}
            value={languages.field ?? ''}
          />
          <label class="choice">
            <input type="checkbox" name="refuse" value="yes" checked={languages.refuse_unknown} />
            <span>{t('Refuse messages in other languages')}</span>
          </label>
        </SaveForm>
      )}
    </div>
  );
}

export function nameOf(tag: string): Text {
  return formatted((language) => language.nameOf('language', tag));
}

/** Switches between the languages of a template. */
export function LanguageChoice({ template, chosen }: { template: CurrentTemplateRow; chosen: string }) {
  const languages = languagesInUse(template);
  if (!languages) return null;
  const path = templatePath(template.service, template.id);
  const tabs = listLanguages(languages).map((tag) => ({
    label: nameOf(tag),
    to: pageUrl(withQuery(path, { language: tag })),
    isCurrent: tag === (chosen || languages.default),
  }));
  return <Segments name={t('Language of the preview')} tabs={tabs} />;
}

interface EditorProps {
  template: CurrentTemplateRow;
  /** The language of the template's own text. */
  own: string;
  text: TemplateVariant;
  isNew: boolean;
  formState: FormState;
  alphabet: Country['sms']['alphabet'];
  preview: DraftPreview;
  cost: string | undefined;
}

/** An editor for one text, beside the template's own. */
export function VariantEditor({ template, own, text, isNew, formState, alphabet, preview, cost }: EditorProps) {
  const { service, id, version, template_type } = template;
  const heading = template_type === 'letter' ? t('Heading') : t('Subject');
  const lang = isNew ? undefined : text.language;
  return (
    <div class="stack">
      {text.content !== '' && <Differences of={differencesOf(placeholdersIn(template), placeholdersIn(text))} />}
      <div class="cols cols--wide">
        <section class="card stack stack--tight" aria-labelledby="own-text">
          <h2 id="own-text">{nameOf(own)}</h2>
          {template_type !== 'sms' && (
            <p dir="auto" lang={own}>
              <b>
                <TemplateText text={template.subject ?? ''} />
              </b>
            </p>
          )}
          <pre class="wrapped" dir="auto" lang={own}>
            <TemplateText text={template.content} />
          </pre>
        </section>
        <form class="stack" method="post" noValidate>
          <input type="hidden" name="version" value={version} />
          {isNew && (
            <Field
              formState={formState}
              name="language"
              label={t('Language')}
              hint={t('A language tag, such as fr, or fr-CA for one country.')}
              value={text.language}
              short
            />
          )}
          {template_type !== 'sms' && (
            <Field formState={formState} name="subject" label={heading} value={text.subject ?? ''} lang={lang} />
          )}
          <TextEditor
            formState={formState}
            name="content"
            label={t('Message')}
            channel={template_type}
            alphabet={alphabet}
            value={text.content}
            lang={lang}
            rows={template_type === 'sms' ? 8 : 16}
          />
          <div class="row">
            <Submit>{t('Save')}</Submit>
            {template_type === 'sms' && (
              <button class="button" type="submit" name="do" value="preview">
                {t('Preview')}
              </button>
            )}
            <a href={pageUrl(`${templatePath(service, id)}/languages`)}>{t('Cancel')}</a>
          </div>
        </form>
      </div>
      {text.content !== '' && (template_type === 'sms' || !isNew) && (
        <Preview
          preview={preview}
          from={versionUrl(service, template)}
          language={text.language}
          cost={cost}
          title={template_type === 'sms' ? t('Preview') : t('Preview of the saved text')}
        />
      )}
      {!isNew && (
        <Confirm
          label={t('Remove…')}
          action={t('Remove {language}', { language: nameOf(text.language) })}
          to={pageUrl(`${templatePath(service, id)}/languages/${text.language}`)}
          fields={{ do: 'remove', version: String(version) }}
        >
          {t('Messages in this language will get the text in {language}.', { language: nameOf(own) })}
        </Confirm>
      )}
    </div>
  );
}
