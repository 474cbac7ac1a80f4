import type { DraftPreview } from '../../../../delivery/previews/draft-preview.ts';
import { T } from '../../../../language/sentence.tsx';
import { isText, type Text, t } from '../../../../language/text.ts';
import { countLeft } from '../../../../notifications/limits/all-limits.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { TextChange } from '../../../../rendering/word-diff.ts';
import { compareTexts } from '../../../../templates/email-threads.ts';
import { hintsOfDraft } from '../../../../templates/hints/template-hints.ts';
import { alphabetOfService } from '../../../../templates/languages/text-alphabet.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { channelLabels } from '../../../message-labels.ts';
import type { Crumb, FormState, PageRequest, View } from '../../../page.ts';
import { Notice } from '../../../parts/notice.tsx';
import { Diff } from '../../../parts/text.tsx';
import { clockTime, Time } from '../../../parts/time.tsx';
import { useViewer } from '../../../viewer.ts';
import { describeCost } from '../../send/cost.ts';
import { FormattingDrawer } from '../formatting-help.pages.tsx';
import { listPath, templatePath } from '../library.ts';
import { draftUrl, versionUrl } from '../preview.pages.ts';
import { NestedPlaceholders, Preview, UnpairedTags } from '../preview.tsx';
import { type Editing, listFilledValues } from './editor-fields.ts';
import { EditorFields } from './editor-form.tsx';
import { HintList } from './hint-list.tsx';
import { type BreakingChanges, breakingChanges, isBreaking, previewEditing } from './save.ts';

type Writing = PageRequest<{ service: 'templates' }>;

interface Shown {
  editing: Editing;
  /** The draft is stored, so it can be previewed. */
  isKept: boolean;
  /** An earlier draft by the same person. */
  unsaved: { to: string; updated_at: string } | undefined;
  /** The notice about a test that was sent. */
  sent: string | undefined;
  crumbs: Crumb[];
}

export async function editorView(app: ConsoleApp, request: Writing, formState: FormState, shown: Shown): Promise<View> {
  const { editing, isKept, unsaved, sent, crumbs } = shown;
  const { template, channel } = editing;
  const { service } = request;
  const [preview, changes, advice, differences] = await Promise.all([
    previewEditing(app, request, editing, listFilledValues(editing)).catch(whyNoPreview),
    breakingChanges(app, request, editing),
    hintsOfDraft(app, service.id, template, editing.draft),
    compareWithSaved(app, service.id, editing),
  ]);
  const now = app.clock.now();
  const from = template && !isKept ? versionUrl(service.id, template) : draftUrl(service.id, editing.draftId, channel);
  const next = (template?.version ?? 0) + 1;
  return {
    title: template
      ? t('Edit {name}', { name: template.name })
      : t('New {noun} template', { noun: channelLabels[channel].noun }),
    crumbs,
    scripts: ['editor'],
    actions: (
      <>
        <button class="button button--primary" form="edit" type="submit" name="do" value="save">
          {template ? t('Save as v{next}', { next }) : t('Save')}
        </button>
        {channel !== 'letter' && (
          <button class="button" form="edit" type="submit" name="do" value="test">
            {t('Send a test to me')}
          </button>
        )}
        <button class="button button--quiet" form="edit" type="submit" name="do" value="discard">
          {t('Discard')}
        </button>
      </>
    ),
    content: (
      <div class="stack">
        {sent && <Notice tone="green">{sent}</Notice>}
        {unsaved && (
          <Notice>
            <T>
              You have an unsaved draft from <Time at={unsaved.updated_at} now={now} />.{' '}
              <a href={pageUrl(unsaved.to)}>Continue with it</a>
            </T>
          </Notice>
        )}
        <form class="cols cols--editor" id="edit" method="post" noValidate>
          <div class="stack">
            <Warnings editing={editing} changes={changes} differences={differences} now={now} />
            <EditorFields
              country={app.country}
              alphabet={alphabetOfService(app.country, request.service)}
              formState={formState}
              editing={editing}
              placeholders={'reason' in preview ? [...editing.typedValues.keys()] : preview.placeholders}
            />
            <HintList {...advice} canHide={template !== undefined} />
            <div class="row">
              <button class="button" type="submit" name="do" value="preview">
                {t('Preview')}
              </button>
              <span class="hint" id="kept">
                {isKept && <Kept now={now} />}
              </span>
            </div>
          </div>
          <div id="preview" class="sticky">
            {isBlank(editing, isKept) ? (
              <EmptyPreview />
            ) : 'reason' in preview ? (
              <Notice tone="amber">
                <T>{{ reason: preview.reason }}. Your text is kept. Select Preview to try again.</T>
              </Notice>
            ) : (
              <>
                <Preview
                  preview={preview}
                  from={from}
                  cost={await describeCost(app, preview, editing.postage)}
                  view={editing.view}
                  width={editing.width}
                />
                <p class="small muted">{await describeLeft(app, request.service.id, preview)}</p>
              </>
            )}
          </div>
        </form>
        <FormattingDrawer channel={channel} />
      </div>
    ),
  };
}

/** Returns how many messages of this length the limits still allow. */
async function describeLeft(app: ConsoleApp, serviceId: string, preview: DraftPreview): Promise<Text | undefined> {
  const service = await app.sending.services.find(serviceId);
  if (!service) return undefined;
  const channel = preview.template_type;
  const parts = preview.template_type === 'sms' ? Math.max(1, preview.fragments) : 1;
  return t(
    '{channel, select, sms {With this length you can still send {left, plural, one {# text} other {# texts}} today.} email {You can still send {left, plural, one {# email} other {# emails}} today.} other {You can still send {left, plural, one {# letter} other {# letters}} today.}}',
    { channel, left: await countLeft(app, service, channel, parts) },
  );
}

/** If a letter cannot be rendered now, its writer must not lose the text. */
function whyNoPreview(error: unknown): { reason: string } {
  const isPassing = error instanceof Failure && (error.kind === 'invalid' || error.kind === 'too-many');
  if (!isPassing || !isText(error.localised)) throw error;
  return { reason: error.localised };
}

/** Whether there is nothing to preview or count. Emails and letters have other content besides their message. */
function isBlank({ channel, draft }: Editing, isKept: boolean): boolean {
  return draft.content.trim() === '' && (channel === 'sms' || !isKept);
}

function EmptyPreview() {
  return (
    <section class="card stack stack--tight" aria-label={t('Preview')}>
      <h2>{t('Preview')}</h2>
      <p class="muted">{t('Your message will appear here as its recipient will see it.')}</p>
    </section>
  );
}

/** Asks for confirmation before a change that breaks what others rely on. Contains the whole form. */
export function confirmView(editing: Editing, changes: BreakingChanges): View {
  const { template, draft, typedValues } = editing;
  const fields = {
    draft_id: editing.draftId,
    version: String(editing.version),
    folder: editing.folder ?? '',
    name: editing.name,
    subject: draft.subject ?? '',
    content: draft.content,
    unsubscribe_link: draft.has_unsubscribe_link ? 'yes' : '',
    postage: editing.postage ?? '',
    languages: draft.letter_languages ?? '',
    letter_welsh_subject: draft.letter_welsh_subject ?? '',
    letter_welsh_content: draft.letter_welsh_content ?? '',
  };
  return {
    title: t('Save this change?'),
    ...(template ? { crumbs: [{ label: t('Templates'), to: listPath(template.service) }] } : {}),
    content: (
      <form class="stack measure" method="post">
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {[...typedValues].map(([name, value]) => [
          <input key={`name ${name}`} type="hidden" name="names[]" value={name} />,
          <input key={`value ${name}`} type="hidden" name="values[]" value={value} />,
        ])}
        <WhatBreaks changes={changes} />
        <p>{t('Tell the people who run those programs before you save, or keep the placeholders as they were.')}</p>
        <div class="row">
          <button class="button button--primary" type="submit" name="do" value="save-anyway">
            {t('Save anyway')}
          </button>
          <button class="button button--quiet" type="submit" name="do" value="preview">
            {t('Back to the text')}
          </button>
        </div>
      </form>
    ),
  };
}

function Kept({ now }: { now: Date }) {
  const { calendar } = useViewer();
  return (
    <>
      {t('Draft saved at {time}. Only you can see it until you save the template.', { time: clockTime(calendar, now) })}
    </>
  );
}

interface Difference {
  label: Text;
  changes: TextChange[];
}

/** Compares the text with the saved version if somebody else saved it in the meantime. */
async function compareWithSaved(app: ConsoleApp, serviceId: string, editing: Editing): Promise<Difference[]> {
  const { template, version, draft } = editing;
  if (!template || version === template.version) return [];
  const texts = [
    { label: t('Changes to the name'), before: template.name, after: editing.name },
    { label: t('Changes to the subject'), before: template.subject ?? '', after: draft.subject ?? '' },
    { label: t('Changes to the message'), before: template.content, after: draft.content },
  ].filter(({ before, after }, index) => index === 2 || before !== after);
  const pairs = texts.map(({ before, after }) => ({ before, after }));
  const changes = await compareTexts(app.emailThreads, serviceId, pairs);
  return texts.map(({ label }, index) => ({ label, changes: changes[index] ?? [] }));
}

interface WarningsProps {
  editing: Editing;
  changes: BreakingChanges;
  differences: Difference[];
  now: Date;
}

/** Warnings for the writer before saving. */
function Warnings({ editing, changes, differences, now }: WarningsProps) {
  return (
    <div id="warnings" class="stack">
      <ChangedMeanwhile editing={editing} differences={differences} now={now} />
      <NestedPlaceholders of={editing.draft} />
      <UnpairedTags of={editing.draft} />
      <WhatBreaks changes={changes} />
    </div>
  );
}

function WhatBreaks({ changes }: { changes: BreakingChanges }) {
  const { added, keys, filesGoing } = changes;
  if (!isBreaking(changes)) return null;
  return (
    <Notice tone="amber">
      {added.length > 0 && (
        <p>
          <b>
            {added.map((name) => (
              <span key={name}>
                <i class="placeholder">(({name}))</i>{' '}
              </span>
            ))}
            {t('{count, plural, one {is new.} other {are new.}}', { count: added.length })}
          </b>{' '}
          {t(
            '{count, plural, one {Programs that send this template must supply it as soon as you save.} other {Programs that send this template must supply them as soon as you save.}}',
            { count: added.length },
          )}{' '}
          {t('{count, plural, one {One API key can send it: {names}} other {# API keys can send it: {names}}}', {
            count: keys.length,
            names: keys.slice(0, 5).join(', '),
          })}
          {keys.length > 5 && '…'}
        </p>
      )}
      {filesGoing.map(({ id, filename }) => (
        <p key={id}>
          <T>
            <b dir="auto">{{ filename }} will be removed.</b> Its placeholder is no longer in the message, so saving
            removes the file.
          </T>
        </p>
      ))}
    </Notice>
  );
}

/** Shown if somebody else saved first: both versions of the text, and that saving keeps the writer's. */
function ChangedMeanwhile({ editing, differences, now }: Omit<WarningsProps, 'changes'>) {
  const { template, version } = editing;
  if (!template || version === template.version) return null;
  return (
    <section class="card stack stack--tight" aria-label={t('This template has changed')}>
      <h2>
        <T>{{ createdByName: template.created_by_name }} saved this template while you were writing</T>
      </h2>
      <p>
        <T>
          Version {{ version: template.version }} was saved{' '}
          <Time at={template.updated_at ?? template.created_at} now={now} />. Your text is still in the form, so nothing
          is lost. This is what saving would change in version {{ version2: template.version }}:
        </T>
      </p>
      {differences.map(({ label, changes }) => (
        <Diff key={label} label={label} changes={changes} />
      ))}
      <p>
        <a href={pageUrl(templatePath(template.service, template.id))} target="_blank" rel="noopener">
          <T>Open version {{ version: template.version }} in a new tab</T>
        </a>
      </p>
    </section>
  );
}
