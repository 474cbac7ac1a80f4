import type { ComponentChildren } from 'preact';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { TextChange } from '../../../rendering/word-diff.ts';
import type { TemplateRow } from '../../../templates/template-row.ts';
import type { listVersionAuthors } from '../../../templates/templates.ts';
import { pageUrl, withQuery } from '../../links.ts';
import { Submit } from '../../parts/form.tsx';
import { Status } from '../../parts/status.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { Diff } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './languages/languages.tsx';
import { templatePath } from './library.ts';

/** The state of the page: two versions, and the page of the list. */
export interface Shown {
  before: TemplateRow;
  after: TemplateRow;
  versions: Awaited<ReturnType<typeof listVersionAuthors>>;
  page: number;
  language: string | undefined;
  isAsSent: boolean;
}

export const historyUrl = ({ service, id }: TemplateRow, query: Record<string, string>) =>
  pageUrl(withQuery(`${templatePath(service, id)}/history`, query));

/** The versions, newest first, each compared with the previous one. */
export function VersionList({ versions, before, after, page, now }: Shown & { now: Date }) {
  return (
    <section aria-labelledby="versions">
      <h2 class="sr" id="versions">
        {t('Versions')}
      </h2>
      <ol class="card inbox card--flush">
        {versions.map((row, index) => {
          const isCompared = row.version === before.version || row.version === after.version;
          const previous = versions[index + 1]?.version ?? Math.max(row.version - 1, 1);
          const pair = { compare: String(previous), with: String(row.version), page: String(page) };
          return (
            <li key={row.version}>
              <a href={historyUrl(after, pair)} aria-current={isCompared ? 'true' : undefined}>
                <span class={isCompared ? 'badge tone-blue' : 'badge'}>
                  <T>v{{ version: row.version }}</T>
                </span>
                <span>
                  <b dir="auto">{row.created_by_name}</b>
                </span>
                <Time at={row.updated_at ?? row.created_at} now={now} />
                {page === 1 && index === 0 && (
                  <span class="preview">
                    <Status kind="delivered">{t('Current')}</Status>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

export interface ComparedText {
  label: string;
  isChanged: boolean;
  changes: TextChange[];
}

interface ComparisonProps extends Shown {
  /** Those of the texts that differ. */
  languages: string[];
  texts: ComparedText[];
  fields: { added: string[]; removed: string[] };
  /** Both versions as their recipients see them. */
  children: ComponentChildren;
}

export function Comparison({ languages, texts, fields, children, ...shown }: ComparisonProps) {
  const { versions, before, after, page, language, isAsSent } = shown;
  const same = { compare: String(before.version), with: String(after.version), page: String(page) };
  const pair = language === undefined ? same : { ...same, language };
  const numbers = [...new Set([after.version, before.version, ...versions.map(({ version }) => version)])];
  const choices = numbers.sort((a, b) => b - a);
  return (
    <>
      <div class="toolbar">
        <form class="row" method="get">
          <VersionChoice name="compare" label={t('Compare')} versions={choices} chosen={before.version} />
          <VersionChoice name="with" label={t('with')} versions={choices} chosen={after.version} />
          {languages.length > 1 && <LanguageChoice languages={languages} chosen={language} />}
          <input type="hidden" name="page" value={page} />
          {isAsSent && <input type="hidden" name="view" value="sent" />}
          <button class="button button--small" type="submit">
            {t('Compare')}
          </button>
        </form>
        <Segments
          name={t('View')}
          tabs={[
            { label: t('Words'), to: historyUrl(after, pair), isCurrent: !isAsSent },
            { label: t('As sent'), to: historyUrl(after, { ...pair, view: 'sent' }), isCurrent: isAsSent },
          ]}
        />
      </div>
      {isAsSent
        ? children
        : texts.map(({ label, isChanged, changes }) => (
            <section key={label} class="card card--flush" aria-label={label}>
              <div class="card-head">
                <h2>{label}</h2>
                {!isChanged && <span class="muted small">{t('Not changed')}</span>}
              </div>
              <Diff
                label={t('{label}, v{version} compared with v{version2}', {
                  label,
                  version: before.version,
                  version2: after.version,
                })}
                changes={changes}
              />
            </section>
          ))}
      <dl class="stats">
        <div>
          <dt>{t('Placeholders removed')}</dt>
          <dd class="figure-mid">{fields.removed.length}</dd>
          <dd>{formatPlaceholders(fields.removed)}</dd>
        </div>
        <div>
          <dt>{t('Placeholders added')}</dt>
          <dd class="figure-mid">{fields.added.length}</dd>
          <dd>{formatPlaceholders(fields.added) || t('API requests stay the same')}</dd>
        </div>
      </dl>
    </>
  );
}

const formatPlaceholders = (names: string[]) => names.map((name) => `((${name}))`).join(' ');

interface ChoiceProps {
  name: string;
  label: string;
  versions: number[];
  chosen: number;
}

function VersionChoice({ name, label, versions, chosen }: ChoiceProps) {
  return (
    <>
      <label for={name}>{label}</label>
      <select class="input input--small" id={name} name={name}>
        {versions.map((version) => (
          <option key={version} value={version} selected={version === chosen}>
            <T>v{{ version }}</T>
          </option>
        ))}
      </select>
    </>
  );
}

function LanguageChoice({ languages, chosen }: { languages: string[]; chosen: string | undefined }) {
  return (
    <>
      <label for="language">{t('Language')}</label>
      <select class="input input--small" id="language" name="language">
        {languages.map((language) => (
          <option key={language} value={language} selected={language === chosen}>
            {nameOf(language)}
          </option>
        ))}
      </select>
    </>
  );
}

/** Asks for confirmation on the same page. The form is rejected if somebody saves in the meantime. */
export function RestoreForm({ old, current }: { old: TemplateRow; current: number }) {
  return (
    <details class="confirm">
      <summary class="button">{t('Restore v{old} as v{next}', { old: old.version, next: current + 1 })}</summary>
      <form class="stack stack--tight" method="post" action={pageUrl(`${templatePath(old.service, old.id)}/history`)}>
        <p>
          {t(
            'This saves the name, texts and settings of version {old} as version {next}, which is sent from then on. Files and senders stay as they are. No version is lost.',
            { old: old.version, next: current + 1 },
          )}
        </p>
        <input type="hidden" name="restore" value={old.version} />
        <input type="hidden" name="version" value={current} />
        <Submit>{t('Restore this version')}</Submit>
      </form>
    </details>
  );
}
