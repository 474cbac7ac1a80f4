import { t } from '../../../language/text.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { View } from '../../page.ts';
import { PlaceChoice } from '../../parts/place-choice.tsx';
import { describeLastUse, getEditableTemplate, type Library, type Reader } from './library.ts';
import { type ListQuery, listUrl } from './list-query.ts';

interface Chosen {
  templates: readonly string[];
  folders: readonly string[];
}

/** Asks where to move what was chosen in the list, where a service has many folders. */
export function chooseFolder(library: Library, list: ListQuery, chosen: Chosen, find: string): View {
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

/** Asks before archiving, and says when each template was last used. */
export async function confirmArchive(app: ConsoleApp, reader: Reader, ids: string[], action: string): Promise<View> {
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
