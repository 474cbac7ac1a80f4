import { Type } from 'typebox';
import { invalidField } from '../../../../platform/failure.ts';
import { Uuid } from '../../../../protocol/fields.ts';
import { listServiceMembers } from '../../../../services/members/service-members.ts';
import { moveIntoFolder } from '../../../../templates/folders/template-folders.ts';
import { listUsedDays } from '../../../../templates/statistics/template-statistics.ts';
import { countInFolders, listTemplateSummaries } from '../../../../templates/templates.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch } from '../../../kept-search.ts';
import { Icon } from '../../../layout/icon.tsx';
import type { Asked, Pages, Redirection, View } from '../../../page.ts';
import { Pager } from '../../../parts/pager.tsx';
import { crumbsOf, getEditableTemplate, has, type Library, listPath, openLibrary, refuseUnless } from '../library.ts';
import { archiveChosen, confirmArchive } from './archive.tsx';
import { EmptyList } from './empty.tsx';
import { type ListedFolder, TemplateTable } from './list.tsx';
import { addressOf, type ListPlace, listPlaceOf } from './list-place.ts';
import { ChosenBar, ListToolbar } from './toolbar.tsx';

type Seen = Asked<{ service: 'any'; organisation: true }>;

const pageSize = 50;

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
    show: (asked) => listView(app, asked),
    form: Form,
    // What is not the search checks the right itself.
    onlyReads: true,
    async act(asked, form): Promise<View | Redirection> {
      const place = listPlaceOf(app, asked);
      if (form.do === undefined || form.do === 'find') {
        const kept = keepSearch(app, asked.visitor, form.find ?? '');
        return { to: addressOf(place, { kept }).slice('/console'.length) };
      }
      refuseUnless(asked, 'templates');
      const chosen = { templates: form.templates, folders: form.folders };
      if (chosen.templates.length + chosen.folders.length === 0)
        throw invalidField('', 'Choose a template or a folder.');
      const back = addressOf(place).slice('/console'.length);
      const library = await openLibrary(app, asked);
      switch (form.do) {
        case 'move': {
          const to = form.move_to === undefined ? null : library.get(form.move_to);
          for (const id of chosen.folders) library.get(id);
          for (const id of chosen.templates) await getEditableTemplate(app, asked, id);
          await moveIntoFolder(app, asked.service.id, to?.id ?? null, chosen);
          return { to: back, notice: `Moved to ${to?.name ?? 'the top level'}.` };
        }
        case 'copy': {
          if (chosen.templates.length === 0) throw invalidField('', 'Choose a template: folders cannot be copied.');
          const ids = new URLSearchParams(chosen.templates.map((id) => ['template', id]));
          return { to: `/services/${asked.service.id}/templates/copy?${ids}` };
        }
        case 'archive':
        case 'archive-all':
          if (chosen.folders.length > 0) {
            throw invalidField('', 'Choose templates only: an empty folder is deleted on its own page.');
          }
          if (form.do === 'archive') return confirmArchive(app, asked, chosen.templates, addressOf(place));
          return { to: back, notice: await archiveChosen(app, asked, chosen.templates) };
        default:
          return { to: back };
      }
    },
  });
}

async function listView(app: ConsoleApp, asked: Seen): Promise<View> {
  const { service } = asked;
  const place = listPlaceOf(app, asked);
  const library = await openLibrary(app, asked);
  if (place.folder !== null) library.get(place.folder);
  const isSearch = place.find !== '' || place.archived;
  const filter = {
    service_id: service.id,
    folder: isSearch ? undefined : place.folder,
    folders: library.ids,
    channel: place.channel,
    find: place.find,
    archived: place.archived,
  };
  const page = { limit: pageSize, offset: (place.page - 1) * pageSize };
  const [{ templates, count }, used, members] = await Promise.all([
    listTemplateSummaries(app, filter, page),
    listUsedDays(app, service.id),
    listServiceMembers(app.db, service.id),
  ]);
  const folders = isSearch || place.page > 1 ? [] : await listedFolders(app, library, place);
  const canEdit = has(asked, 'templates');
  const canChoose = canEdit && !place.archived;
  const pathOf = new Map(library.paths().map(({ id, path }) => [id, path]));
  const rows = templates.map(({ folder, ...template }) => ({
    ...template,
    used: used.get(template.id),
    path: (isSearch && folder !== null && pathOf.get(folder)) || '',
  }));
  const folder = place.folder === null ? undefined : library.get(place.folder);
  const table = (
    <TemplateTable
      place={place}
      folders={folders}
      templates={rows}
      people={members.filter(({ state }) => state === 'active').length}
      canChoose={canChoose}
      now={app.clock.now()}
    />
  );
  const isEmpty = rows.length + folders.length === 0;
  return {
    title: place.archived ? 'Archived templates' : (folder?.name ?? 'Templates'),
    ...(folder || place.archived ? { crumbs: crumbsOf(library, service.id, folder ? folder.parent_id : null) } : {}),
    actions: canEdit && !place.archived && <ListActions place={place} isFolder={folder !== undefined} />,
    content: (
      <div class="stack">
        <ListToolbar place={place} />
        {isEmpty && <EmptyList place={place} canEdit={canEdit} />}
        {!isEmpty && !canChoose && <div class="card card--flush">{table}</div>}
        {!isEmpty && canChoose && (
          <form class="card card--flush" method="post" action={addressOf(place, { page: place.page })}>
            <ChosenBar folders={library.paths()} canMoveUp={place.folder !== null} />
            {table}
          </form>
        )}
        <ListFoot place={place} count={count} folders={folders.length} />
      </div>
    ),
  };
}

async function listedFolders(app: ConsoleApp, library: Library, place: ListPlace): Promise<ListedFolder[]> {
  const counts = await countInFolders(app, place.service_id);
  return library.inside(place.folder).map((folder) => ({
    ...folder,
    templates: counts.get(folder.id) ?? 0,
    folders: library.inside(folder.id).length,
  }));
}

function ListActions({ place, isFolder }: { place: ListPlace; isFolder: boolean }) {
  const base = `/console${listPath(place.service_id)}`;
  const inFolder = place.folder === null ? '' : `?folder=${place.folder}`;
  return (
    <>
      {isFolder && (
        <a class="button" href={`${base}/folders/${place.folder}`}>
          Manage this folder
        </a>
      )}
      <a class="button" href={`${base}/folders/new${inFolder}`}>
        <Icon name="folder" small />
        New folder
      </a>
      <a class="button button--primary" href={`${base}/new${inFolder}`}>
        <Icon name="plus" small />
        New template
      </a>
    </>
  );
}

function ListFoot({ place, count, folders }: { place: ListPlace; count: number; folders: number }) {
  const first = (place.page - 1) * pageSize + 1;
  const last = Math.min(count, first + pageSize - 1);
  const several = (number: number, noun: string) =>
    `${number.toLocaleString('en-GB')} ${noun}${number === 1 ? '' : 's'}`;
  return (
    <>
      {count > pageSize && (
        <Pager
          shown={`${first} to ${last} of ${count.toLocaleString('en-GB')}`}
          newer={place.page > 1 ? addressOf(place, { page: place.page - 1 }) : undefined}
          older={last < count ? addressOf(place, { page: place.page + 1 }) : undefined}
          words={['Previous', 'Next']}
        />
      )}
      <p class="small muted">
        {several(count, 'template')}
        {folders > 0 && ` and ${several(folders, 'folder')}`}.{' '}
        {place.archived ? (
          <a href={addressOf(place, { archived: false })}>Back to the templates in use</a>
        ) : (
          <>
            Archived templates are <a href={addressOf(place, { archived: true, folder: null, kept: '' })}>kept here</a>.
          </>
        )}
      </p>
    </>
  );
}
