import { Type } from 'typebox';
import { asIs, t } from '../../../../language/text.ts';
import { invalid, notFound } from '../../../../platform/failure.ts';
import { acceptsLongText } from '../../../../platform/http/body/body-limits.ts';
import { isUuid } from '../../../../platform/id.ts';
import { type Channel, channels } from '../../../../protocol/channels.ts';
import { isSuspended } from '../../../../services/service-fields.ts';
import { hideHint, showHiddenHints } from '../../../../templates/hints/template-hints.ts';
import { alphabetOfService } from '../../../../templates/languages/text-alphabet.ts';
import { discardDraft, findDraft, keepDraft, listDraftsOf } from '../../../../templates/template-drafts.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { channelLabels } from '../../../message-labels.ts';
import type { FormState, PageRequest, Pages, Redirection, Sent, View } from '../../../page.ts';
import { Choices } from '../../../parts/field.tsx';
import { Submit } from '../../../parts/form.tsx';
import { listManagers } from '../../services/join.pages.tsx';
import {
  buildCrumbs,
  getEditableTemplate,
  getSeenTemplate,
  has,
  listPath,
  openLibrary,
  refuseUnlessSeen,
  templatePath,
} from '../library.ts';
import { type Editing, EditorForm, listFilledValues, readEditing } from './editor-fields.ts';
import { confirmView, editorView } from './editor-view.tsx';
import { breakingChanges, findProblems, isBreaking, isChanged, previewEditing, saveEditing, sendTest } from './save.ts';

type Writing = PageRequest<{ service: 'templates' }>;
const who = { service: 'templates' } as const;

export function editorPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/templates/new', {
    who,
    below: 'Templates',
    show: async (request, formState) => newTemplateView(app, request, formState),
    form: Type.Object({ channel: Type.String(), folder: Type.Optional(Type.String()) }),
    needs: { channel: t('Choose what to write.') },
    act: ({ service }, { channel, folder }) => {
      if (!channels.some((known) => known === channel)) throw notFound();
      return { to: `${listPath(service.id)}/new/${channel}${isUuid(folder ?? '') ? `?folder=${folder}` : ''}` };
    },
  });

  pages.add('/services/:service_id/templates/new/:channel', {
    who,
    below: 'Templates',
    show: (request, formState) => show(request, undefined, parseChannel(request), formState),
    form: EditorForm,
    ...acceptsLongText,
    act: (request, form) => act(request, undefined, parseChannel(request), new Map(Object.entries(form)), form.do),
  });

  pages.add('/services/:service_id/templates/:template_id/edit', {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getSeenTemplate(app, request, request.param('template_id'));
      if (template.archived) return { to: templatePath(request.service.id, template.id) };
      return show(request, template, template.template_type, formState);
    },
    form: EditorForm,
    ...acceptsLongText,
    async act(request, form) {
      const template = await getEditableTemplate(app, request, request.param('template_id'));
      return act(request, template, template.template_type, new Map(Object.entries(form)), form.do);
    },
  });

  /** Stores a submitted form as a draft, so that the URLs of the preview can render it. */
  async function show(
    request: Writing,
    template: CurrentTemplateRow | undefined,
    channel: Channel,
    formState: FormState,
    sent?: string,
  ): Promise<View | Redirection> {
    const { service, visitor, query } = request;
    if (!service.permissions.includes(channel)) return channelOffView(app, request, channel);
    const editor = template
      ? `${templatePath(service.id, template.id)}/edit`
      : `${listPath(service.id)}/new/${channel}`;
    const typed = formState.typed.size > 0 ? formState.typed : await storedFields(request, template);
    // After saving, "Back" leads to the address of a draft that is gone.
    if (!typed) return { to: editor };
    const editing = readEditing(app.country, template, channel, typed, query('folder'), app.clock.now());
    const library = await openLibrary(app, request);
    if (editing.folder !== null) library.get(editing.folder);
    const owner = { service_id: service.id, user_id: visitor.user.id, template_id: template?.id ?? null };
    if (formState.typed.size > 0) {
      const fields = { ...Object.fromEntries(formState.typed), channel, draft_id: editing.draftId };
      await keepDraft(app, { id: editing.draftId, ...owner, fields });
    }
    const drafts = typed.size === 0 ? await listDraftsOf(app.db, owner) : [];
    const unsaved = drafts.find((one) => template !== undefined || one.channel === channel);
    return editorView(app, request, formState, {
      editing,
      isKept: typed.size > 0,
      unsaved: unsaved && { to: `${editor}?draft=${unsaved.id}`, updated_at: unsaved.updated_at },
      sent,
      crumbs: [
        ...buildCrumbs(library, service.id, editing.folder),
        ...(template ? [{ label: asIs(template.name), to: templatePath(service.id, template.id) }] : []),
      ],
    });
  }

  /** Returns the draft that the URL names, or undefined if it does not exist. */
  async function storedFields(
    { service, visitor, query }: Writing,
    template: CurrentTemplateRow | undefined,
  ): Promise<FormState['typed'] | undefined> {
    const id = query('draft');
    if (!isUuid(id)) return new Map();
    const stored = await findDraft(app.db, { id, service_id: service.id, user_id: visitor.user.id });
    return stored?.template_id === (template?.id ?? null) ? new Map(Object.entries(stored.fields)) : undefined;
  }

  async function act(
    request: Writing,
    template: CurrentTemplateRow | undefined,
    channel: Channel,
    typed: FormState['typed'],
    what = 'preview',
  ): Promise<View | Redirection | Sent> {
    const { service, visitor } = request;
    const editing = readEditing(app.country, template, channel, typed, '', app.clock.now());
    await refuseUnlessSeen(app, request, editing.folder);
    const formState = { typed, problems: new Map<string, string>() };
    const back = template
      ? templatePath(service.id, template.id)
      : listPath(service.id, { folder: editing.folder ?? '' });
    switch (what) {
      case 'save':
      case 'save-anyway':
        return save(request, editing, back, what === 'save-anyway');
      case 'test':
        return show(request, template, channel, formState, await sendTest(app, request, editing));
      case 'discard':
        await discardDraft(app, { id: editing.draftId, user_id: visitor.user.id });
        return { to: back };
      default:
        if (template) await chooseHints(template, what, visitor.user.id);
        return show(request, template, channel, formState);
    }
  }

  /** Handles the buttons in the list of hints. */
  async function chooseHints(template: CurrentTemplateRow, what: string, userId: string): Promise<void> {
    if (what === 'show-hints') await showHiddenHints(app, template.id);
    else if (what.startsWith('hide-')) await hideHint(app, template, what.slice('hide-'.length), userId);
  }

  async function save(
    request: Writing,
    editing: Editing,
    back: string,
    isConfirmed: boolean,
  ): Promise<View | Redirection> {
    const { template } = editing;
    const preview =
      editing.channel === 'letter' ? await previewEditing(app, request, editing, listFilledValues(editing)) : undefined;
    const problems = findProblems(alphabetOfService(app.country, request.service), editing, preview);
    if (Object.keys(problems).length > 0) throw invalid(problems);
    if (!isChanged(editing)) {
      await discardDraft(app, { id: editing.draftId, user_id: request.visitor.user.id });
      return { to: back, notice: t('Nothing was changed.') };
    }
    const changes = await breakingChanges(app, request, editing);
    const isCurrent = template === undefined || template.version === editing.version;
    if (isCurrent && !isConfirmed && isBreaking(changes)) return confirmView(editing, changes);
    const saved = await saveEditing(app, request, editing, changes.filesGoing);
    const notice = template ? t('Saved as version {version}.', { version: saved.version }) : t('Template saved.');
    return { to: templatePath(request.service.id, saved.id), notice };
  }
}

function parseChannel({ param }: Writing): Channel {
  const found = channels.find((channel) => channel === param('channel'));
  if (!found) throw notFound();
  return found;
}

const hints: Record<Channel, string> = {
  email: t('With headings, lists, links and files.'),
  sms: t('Up to 918 characters. Costs one part for up to 160 characters.'),
  letter: t('Printed and posted, up to 10 pages.'),
};

async function newTemplateView(app: ConsoleApp, request: Writing, formState: FormState): Promise<View> {
  const { service, query } = request;
  const library = await openLibrary(app, request);
  const folder = library.ids.find((id) => id === query('folder'));
  return {
    title: t('New template'),
    crumbs: [{ label: t('Templates'), to: listPath(service.id) }],
    content: (
      <form class="stack measure" method="post" noValidate>
        {folder && <input type="hidden" name="folder" value={folder} />}
        <Choices
          formState={formState}
          name="channel"
          legend={t('What do you want to write?')}
          kind="one"
          choices={channels.map((channel) => ({
            value: channel,
            label: channelLabels[channel].name,
            hint: service.permissions.includes(channel) ? hints[channel] : t('Switched off for this service.'),
          }))}
        />
        <Submit>{t('Continue')}</Submit>
      </form>
    ),
  };
}

/** Says why no template can be written for this channel, and who can change that. */
async function channelOffView(app: ConsoleApp, request: Writing, channel: Channel): Promise<View> {
  const { service } = request;
  const suspended = isSuspended(service);
  const managers = suspended ? [] : await listManagers(app, service.id);
  return {
    title: t(
      '{channel, select, email {This service does not send emails} sms {This service does not send texts} other {This service does not send letters}}',
      { channel },
    ),
    crumbs: [{ label: t('Templates'), to: listPath(service.id) }],
    content: (
      <div class="stack measure">
        <p>
          {t(
            '{channel, select, email {Sending emails is switched off, so you cannot write or change email templates.} sms {Sending texts is switched off, so you cannot write or change text message templates.} other {Sending letters is switched off, so you cannot write or change letter templates.}}',
            { channel },
          )}{' '}
          {has(request, 'manage') && !suspended ? (
            <a href={pageUrl(`/services/${service.id}/settings`)}>{t('Switch it on in the settings')}</a>
          ) : managers.length > 0 ? (
            t('These people in your team can switch it on in the settings:')
          ) : (
            t('Ask the people who run this Pennypost to switch it on.')
          )}
        </p>
        {managers.length > 0 && !has(request, 'manage') && (
          <ul class="card list">
            {managers.map(({ id, name, email_address }) => (
              <li key={id}>
                <b dir="auto">{name}</b>
                <span class="muted">{email_address}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    ),
  };
}
