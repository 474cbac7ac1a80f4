import { listPath } from '../library.ts';
import type { ListPlace } from './list-place.ts';

export function EmptyList({ place, canEdit }: { place: ListPlace; canEdit: boolean }) {
  const isFiltered = place.find !== '' || place.channel !== undefined || place.archived;
  if (isFiltered) {
    return (
      <section class="empty">
        <h2>{place.archived ? 'No archived templates' : 'Nothing found'}</h2>
        <p>
          {place.find !== ''
            ? 'No template has these words in its name or texts. Try fewer words.'
            : 'There is no such template here.'}
        </p>
      </section>
    );
  }
  return (
    <section class="empty">
      <h2>{place.folder === null ? 'No templates yet' : 'This folder is empty'}</h2>
      <p>
        A template is the text of a message with placeholders, such as ((name)), for what differs from person to person.
      </p>
      {canEdit && (
        <div class="row">
          <a
            class="button button--primary"
            href={`/console${listPath(place.service_id)}/new${place.folder === null ? '' : `?folder=${place.folder}`}`}
          >
            Write {place.folder === null ? 'the first one' : 'a template'}
          </a>
        </div>
      )}
    </section>
  );
}
