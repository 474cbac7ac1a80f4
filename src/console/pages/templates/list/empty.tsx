import { listPath } from '../library.ts';
import type { ListQuery } from './list-query.ts';

export function EmptyList({ list, canEdit }: { list: ListQuery; canEdit: boolean }) {
  const isFiltered = list.find !== '' || list.channel !== undefined || list.archived;
  if (isFiltered) {
    return (
      <section class="empty">
        <h2>{list.archived ? 'No archived templates' : 'Nothing found'}</h2>
        <p>
          {list.find !== ''
            ? 'No template has these words in its name or texts. Try fewer words.'
            : 'There is no such template here.'}
        </p>
      </section>
    );
  }
  return (
    <section class="empty">
      <h2>{list.folder === null ? 'No templates yet' : 'This folder is empty'}</h2>
      <p>
        A template is the text of a message with placeholders, such as ((name)), for what differs from person to person.
      </p>
      {canEdit && (
        <div class="row">
          <a
            class="button button--primary"
            href={`/console${listPath(list.service_id)}/new${list.folder === null ? '' : `?folder=${list.folder}`}`}
          >
            Write {list.folder === null ? 'the first one' : 'a template'}
          </a>
        </div>
      )}
    </section>
  );
}
