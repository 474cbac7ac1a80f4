import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { channels } from '../../../protocol/channels.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import { moveIntoFolder } from '../../../templates/folders/template-folders.ts';
import { listDraftsOf } from '../../../templates/template-drafts.ts';
import { listUsedDays } from '../../../templates/template-statistics.ts';
import { updateTemplate } from '../../../templates/template-update.ts';
import { countInFolders, listTemplateSummaries } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Icon } from '../../layout/icon.tsx';
import { keepSearch } from '../../links.ts';
import type { PageRequest, Pages, Redirection, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { OffsetPager } from '../../parts/pager.tsx';
import { PlaceChoice } from '../../parts/place-choice.tsx';
import {
  buildCrumbs,
  describeLastUse,
  getEditableTemplate,
  has,
  type Library,
  listPath,
  openLibrary,
  type Reader,
  refuseUnless,
} from './library.ts';
import {
  DraftList,
  EmptyList,
  type ListedDraft,
  type ListedFolder,
  ListToolbar,
  SelectionBar,
  TemplateTable,
} from './list.tsx';
import { type ListQuery, listQueryPath, listUrl, readListQuery } from './list-query.ts';

type Seen = PageRequest<{ service: 'any'; organisation: true }>;

/** Rows show the start of their text, so a larger page would exceed 40 kB. */
const pageSize = 25;

const Form = Type.Object({
  do: Type.Optional(Type.String()),
  find: Type.Optional(Type.String({ maxLength: 200 })),
  move_to: Type.Optional(Uuid),
  templates: Type.Array(Uuid, { maxItems: 1_000 }),
  folders: Type.Array(Uuid, { maxItems: 1_000 }),
});

export function listPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/templates', {
    who: { service: 'any', organisation: true },
    menu: 'Templates',
    show: (request) => listView(app, request),
    form: Form,
    // Actions other than the search check the right themselves.
    onlyReads: true,
    async act(request, form): Promise<View | Redirection> {
      const list = readListQuery(app, request);
      if (form.do === undefined || form.do === 'find') {
        const findToken = keepSearch(app, request.visitor, form.find ?? '');
        return { to: listQueryPath(list, { findToken }) };
      }
      refuseUnless(request, 'templates');
      const chosen = { templates: form.templates, folders: form.folders };
      if (chosen.templates.length + chosen.folders.length === 0)
        throw invalidField('', t('Choose a template or a folder.'));
      const back = listQueryPath(list);
      const library = await openLibrary(app, request);
      switch (form.do) {
        case 'choose-folder':
          return chooseFolder(library, list, chosen, '');
        case 'find-folder':
          return chooseFolder(library, list, chosen, form.find ?? '');
        case 'move': {
          const to = form.move_to === undefined ? null : library.get(form.move_to);
          for (const id of chosen.folders) library.get(id);
          for (const id of chosen.templates) await getEditableTemplate(app, request, id);
          await moveIntoFolder(app, request.service.id, to?.id ?? null, chosen);
          return { to: back, notice: to ? t('Moved to {folder}.', { folder: to.name }) : t('Moved to the top level.') };
        }
        case 'copy': {
          if (chosen.templates.length === 0) throw invalidField('', t('Choose a template. Folders cannot be copied.'));
          const ids = new URLSearchParams(chosen.templates.map((id) => ['template', id]));
          return { to: `/services/${request.service.id}/templates/copy?${ids}` };
        }
        case 'archive':
        case 'archive-all':
          if (chosen.folders.length > 0) {
            throw invalidField('', t('Choose templates only. You can delete an empty folder on its own page.'));
          }
          if (form.do === 'archive') return confirmArchive(app, request, chosen.templates, listUrl(list));
          return { to: back, notice: await archiveChosen(app, request, chosen.templates) };
        default:
          return { to: back };
      }
    },
  });
}

async function listView(app: ConsoleApp, request: Seen): Promise<View> {
  const { service } = request;
  const list = readListQuery(app, request);
  const library = await openLibrary(app, request);
  if (list.folder !== null) library.get(list.folder);
  const isSearch = list.find !== '' || list.archived;
  const filter = {
    service_id: service.id,
    folder: isSearch ? undefined : list.folder,
    folders: library.ids,
    channel: list.channel,
    find: list.find,
    archived: list.archived,
  };
  const page = { limit: pageSize, offset: (list.page - 1) * pageSize };
  const canEdit = has(request, 'templates');
  const isRoot = !isSearch && list.folder === null && list.channel === undefined && list.page === 1;
  const [{ templates, count: total }, used, members, drafts] = await Promise.all([
    listTemplateSummaries(app.db, filter, page),
    listUsedDays(app, service.id),
    listServiceMembers(app.db, service.id),
    canEdit && isRoot ? listNewDrafts(app, request, library) : [],
  ]);
  const folders = isSearch || list.page > 1 ? [] : await countFolderContents(app, library, list);
  const canChoose = canEdit && !list.archived;
  const folderPaths = new Map(library.paths().map(({ id, path }) => [id, path]));
  const rows = templates.map(({ folder, ...template }) => ({
    ...template,
    used: used.get(template.id),
    path: (isSearch && folder !== null && folderPaths.get(folder)) || '',
  }));
  const folder = list.folder === null ? undefined : library.get(list.folder);
  const table = (
    <TemplateTable
      list={list}
      folders={folders}
      templates={rows}
      people={members.filter(({ state }) => state === 'active').length}
      canChoose={canChoose}
      now={app.clock.now()}
    />
  );
  const isEmpty = rows.length + folders.length === 0;
  return {
    title: folder && !list.archived ? asIs(folder.name) : list.archived ? t('Archived templates') : t('Templates'),
    ...(folder || list.archived ? { crumbs: buildCrumbs(library, service.id, folder ? folder.parent_id : null) } : {}),
    actions: canEdit && !list.archived && <ListActions list={list} isFolder={folder !== undefined} />,
    content: (
      <div class="stack">
        <DraftList serviceId={service.id} drafts={drafts} now={app.clock.now()} />
        <ListToolbar list={list} />
        {isEmpty && <EmptyList list={list} canEdit={canEdit} />}
        {!isEmpty && !canChoose && <div class="card card--flush">{table}</div>}
        {!isEmpty && canChoose && (
          <form class="card card--flush" method="post" action={listUrl(list, { page: list.page })}>
            <SelectionBar folders={library.paths()} canMoveUp={list.folder !== null} />
            {table}
          </form>
        )}
        <ListFoot list={list} total={total} folders={folders.length} />
      </div>
    ),
  };
}

/** Lists the person's drafts of new templates. Those of other templates are found where the template is edited. */
async function listNewDrafts(app: ConsoleApp, { service, visitor }: Seen, library: Library): Promise<ListedDraft[]> {
  const owner = { service_id: service.id, user_id: visitor.user.id, template_id: null };
  return (await listDraftsOf(app.db, owner)).flatMap(({ channel: of, folder, ...draft }) => {
    const channel = channels.find((known) => known === of);
    const isSeen = folder === '' || library.ids.includes(folder);
    return channel && isSeen ? [{ ...draft, channel }] : [];
  });
}

async function countFolderContents(app: ConsoleApp, library: Library, list: ListQuery): Promise<ListedFolder[]> {
  const counts = await countInFolders(app.db, list.service_id);
  return library.inside(list.folder).map((folder) => ({
    ...folder,
    templates: counts.get(folder.id) ?? 0,
    folders: library.inside(folder.id).length,
  }));
}

function ListActions({ list, isFolder }: { list: ListQuery; isFolder: boolean }) {
  const base = listPath(list.service_id);
  const inFolder = list.folder === null ? '' : `?folder=${list.folder}`;
  return (
    <>
      {isFolder && <ButtonLink to={`${base}/folders/${list.folder}`}>{t('Manage this folder')}</ButtonLink>}
      {!isFolder && <ButtonLink to={`${base}/plans`}>{t('Channel plans')}</ButtonLink>}
      <ButtonLink to={`${base}/folders/new${inFolder}`}>
        <Icon name="folder" small />
        {t('New folder')}
      </ButtonLink>
      <ButtonLink to={`${base}/new${inFolder}`} look="primary">
        <Icon name="plus" small />
        {t('New template')}
      </ButtonLink>
    </>
  );
}

function ListFoot({ list, total, folders }: { list: ListQuery; total: number; folders: number }) {
  return (
    <>
      <OffsetPager page={list.page} total={total} size={pageSize} to={(page) => listUrl(list, { page })} />
      <p class="small muted">
        {folders > 0
          ? t(
              '{templates, plural, one {# template} other {# templates}} and {folders, plural, one {# folder} other {# folders}}.',
              { templates: total, folders },
            )
          : t('{count, plural, one {# template.} other {# templates.}}', { count: total })}{' '}
        {list.archived ? (
          <a href={listUrl(list, { archived: false })}>{t('Back to the templates in use')}</a>
        ) : (
          <T>
            Archived templates are{' '}
            <a href={listUrl(list, { archived: true, folder: null, findToken: '' })}>kept here</a>.
          </T>
        )}
      </p>
    </>
  );
}

async function archiveChosen(app: ConsoleApp, reader: Reader, ids: string[]): Promise<Text> {
  for (const id of ids) {
    await getEditableTemplate(app, reader, id);
    await updateTemplate(app, reader.service.id, id, { archived: true, created_by: reader.visitor.user.id });
  }
  return t('{count, plural, one {Template archived.} other {# templates archived.}}', { count: ids.length });
}

interface Chosen {
  templates: readonly string[];
  folders: readonly string[];
}

/** Asks where to move the chosen templates and folders, if a service has many folders. */
function chooseFolder(library: Library, list: ListQuery, chosen: Chosen, find: string): View {
  const moved = new Set(chosen.folders);
  // A folder cannot be moved into itself.
  const possible = library.paths().filter(({ id }) => !library.path(id).some((folder) => moved.has(folder.id)));
  const places = possible.map(({ id, path }) => ({ value: id, label: path }));
  return {
    title: t('Move to which folder?'),
    content: (
      <form class="stack measure" method="post" action={listUrl(list)}>
        {chosen.templates.map((id) => (
          <input key={id} type="hidden" name="templates[]" value={id} />
        ))}
        {chosen.folders.map((id) => (
          <input key={id} type="hidden" name="folders[]" value={id} />
        ))}
        <PlaceChoice
          formState={{ typed: new Map(), problems: new Map() }}
          name="move_to"
          label={t('Move to')}
          places={[{ value: '', label: t('Top level') }, ...places]}
          chosen=""
          find={find}
          does="find-folder"
        />
        <div class="row">
          <button class="button button--primary" type="submit" name="do" value="move">
            {t('Move')}
          </button>
          <a class="button button--quiet" href={listUrl(list)}>
            {t('Cancel')}
          </a>
        </div>
      </form>
    ),
  };
}

/** Asks for confirmation before archiving, with the last use of each template. */
async function confirmArchive(app: ConsoleApp, reader: Reader, ids: string[], action: string): Promise<View> {
  const templates = await Promise.all(
    ids.map(async (id) => {
      const { name } = await getEditableTemplate(app, reader, id);
      return { id, name, used: await describeLastUse(app, reader.service.id, id) };
    }),
  );
  return {
    title: t('{count, plural, one {Archive this?} other {Archive these #?}}', { count: templates.length }),
    content: (
      <form class="stack measure" method="post" action={action}>
        <ul class="card list">
          {templates.map(({ id, name, used }) => (
            <li key={id}>
              <input type="hidden" name="templates[]" value={id} />
              <b dir="auto">{name}</b>
              <span class="muted">{used}</span>
            </li>
          ))}
        </ul>
        <p>{t('Nobody can send an archived template, here or through the API. You can still read it.')}</p>
        <div class="row">
          <button class="button button--danger" type="submit" name="do" value="archive-all">
            {t('Archive')}
          </button>
          <a class="button button--quiet" href={action}>
            {t('Cancel')}
          </a>
        </div>
      </form>
    ),
  };
}
