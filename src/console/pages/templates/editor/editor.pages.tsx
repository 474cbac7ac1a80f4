import { Type } from 'typebox';
import { invalid, notFound } from '../../../../platform/failure.ts';
import { takesLongText } from '../../../../platform/http/body/body-limits.ts';
import { isUuid } from '../../../../platform/id.ts';
import { type Channel, channels } from '../../../../protocol/channels.ts';
import { discardDraft, findDraftOf, getDraft, keepDraft } from '../../../../templates/drafts/template-drafts.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Asked, Draft, Pages, Redirection, Sent, View } from '../../../page.ts';
import {
  crumbsOf,
  getEditableTemplate,
  getSeenTemplate,
  listPath,
  openLibrary,
  refuseUnlessSeen,
  templatePath,
} from '../library.ts';
import { channelOffView, newTemplateView } from './channels.tsx';
import { type Editing, EditorForm, readEditing, valuesOf } from './editor-fields.ts';
import { confirmView, editorView } from './editor-view.tsx';
import { breakingChanges, isBreaking, isChanged, previewEditing, problemsOf, saveEditing } from './save.ts';
import { sendTest } from './send-test.ts';

type Writing = Asked<{ service: 'templates' }>;
const who = { service: 'templates' } as const;

export function editorPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/templates/new', {
    who,
    below: 'Templates',
    show: async (asked, draft) => newTemplateView(app, asked, draft),
    form: Type.Object({ channel: Type.String(), folder: Type.Optional(Type.String()) }),
    needs: { channel: 'Choose what to write.' },
    act: ({ service }, { channel, folder }) => {
      if (!channels.some((one) => one === channel)) throw notFound();
      return { to: `${listPath(service.id)}/new/${channel}${isUuid(folder ?? '') ? `?folder=${folder}` : ''}` };
    },
  });

  pages.add('/services/:service_id/templates/new/:channel', {
    who,
    below: 'Templates',
    show: (asked, draft) => show(asked, undefined, channelOf(asked), draft),
    form: EditorForm,
    ...takesLongText,
    act: (asked, form) => act(asked, undefined, channelOf(asked), new Map(Object.entries(form)), form.do),
  });

  pages.add('/services/:service_id/templates/:template_id/edit', {
    who,
    below: 'Templates',
    async show(asked, draft) {
      const template = await getSeenTemplate(app, asked, asked.param('template_id'));
      if (template.archived) return { to: templatePath(asked.service.id, template.id) };
      return show(asked, template, template.template_type, draft);
    },
    form: EditorForm,
    ...takesLongText,
    async act(asked, form) {
      const template = await getEditableTemplate(app, asked, asked.param('template_id'));
      return act(asked, template, template.template_type, new Map(Object.entries(form)), form.do);
    },
  });

  /** A form that was sent is kept, so that the addresses of the preview can show it. */
  async function show(
    asked: Writing,
    template: CurrentTemplateRow | undefined,
    channel: Channel,
    draft: Draft,
    sent?: string,
  ): Promise<View> {
    const { service, visitor, query } = asked;
    if (!service.permissions.includes(channel)) return channelOffView(app, asked, channel);
    const typed = draft.typed.size > 0 ? draft.typed : await storedFields(asked, template);
    const editing = readEditing(template, channel, typed, query('folder'), app.clock.now());
    const library = await openLibrary(app, asked);
    if (editing.folder !== null) library.get(editing.folder);
    if (draft.typed.size > 0) {
      const fields = { ...Object.fromEntries(draft.typed), channel, draft_id: editing.draftId };
      const owner = { service_id: service.id, user_id: visitor.user.id, template_id: template?.id ?? null };
      await keepDraft(app, { id: editing.draftId, ...owner, fields });
    }
    const unsaved = template && typed.size === 0 ? await findDraftOf(app, draftOwner(asked, template)) : undefined;
    return editorView(app, asked, draft, {
      editing,
      isKept: typed.size > 0,
      unsaved,
      sent,
      crumbs: [
        ...crumbsOf(library, service.id, editing.folder),
        ...(template ? [{ label: template.name, to: templatePath(service.id, template.id) }] : []),
      ],
    });
  }

  /** An unsaved draft that the address names. */
  async function storedFields(asked: Writing, template: CurrentTemplateRow | undefined): Promise<Draft['typed']> {
    const id = asked.query('draft');
    if (!isUuid(id)) return new Map();
    const stored = await getDraft(app, { id, service_id: asked.service.id });
    if (stored.template_id !== (template?.id ?? null)) throw notFound();
    return new Map(Object.entries(stored.fields));
  }

  const draftOwner = ({ service, visitor }: Writing, template: CurrentTemplateRow) => ({
    service_id: service.id,
    user_id: visitor.user.id,
    template_id: template.id,
  });

  async function act(
    asked: Writing,
    template: CurrentTemplateRow | undefined,
    channel: Channel,
    typed: Draft['typed'],
    what = 'preview',
  ): Promise<View | Redirection | Sent> {
    const { service, visitor } = asked;
    const editing = readEditing(template, channel, typed, '', app.clock.now());
    await refuseUnlessSeen(app, asked, editing.folder);
    const draft = { typed, problems: new Map<string, string>() };
    const back = template
      ? templatePath(service.id, template.id)
      : listPath(service.id, { folder: editing.folder ?? '' });
    switch (what) {
      case 'save':
      case 'save-anyway':
        return save(asked, editing, back, what === 'save-anyway');
      case 'test':
        return show(asked, template, channel, draft, await sendTest(app, asked, editing));
      case 'discard':
        await discardDraft(app, { id: editing.draftId, user_id: visitor.user.id });
        return { to: back };
      default:
        return show(asked, template, channel, draft);
    }
  }

  async function save(
    asked: Writing,
    editing: Editing,
    back: string,
    isConfirmed: boolean,
  ): Promise<View | Redirection> {
    const { template } = editing;
    const preview =
      editing.channel === 'letter' ? await previewEditing(app, asked, editing, valuesOf(editing)) : undefined;
    const problems = problemsOf(editing, preview);
    if (Object.keys(problems).length > 0) throw invalid(problems);
    if (!isChanged(editing)) {
      await discardDraft(app, { id: editing.draftId, user_id: asked.visitor.user.id });
      return { to: back, notice: 'Nothing was changed.' };
    }
    const changes = await breakingChanges(app, asked, editing);
    const isCurrent = template === undefined || template.version === editing.version;
    if (isCurrent && !isConfirmed && isBreaking(changes)) return confirmView(editing, changes);
    const saved = await saveEditing(app, asked, editing, changes.filesGoing);
    const notice = template ? `Saved as version ${saved.version}.` : 'The template is saved.';
    return { to: templatePath(asked.service.id, saved.id), notice };
  }
}

function channelOf({ param }: Writing): Channel {
  const found = channels.find((channel) => channel === param('channel'));
  if (!found) throw notFound();
  return found;
}
