import { type Text, t } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';

interface ListSearchProps {
  /** The accessible name of the search. */
  name: Text;
  label: Text;
  /** The URL of the list. */
  path: string;
  /** The search text; empty without a search. */
  find: string;
  /** Such as "3 services found". */
  found: Text;
}

/** Uses POST, so that no name or address of a person is part of a URL. */
export function ListSearch({ name, label, path, find, found }: ListSearchProps) {
  return (
    <search aria-label={name}>
      <form class="filter" method="post" action={path}>
        <div class="find find--wide">
          <label class="sr" for="find">
            {label}
          </label>
          <Icon name="search" />
          <input
            class="input"
            id="find"
            name="find"
            type="search"
            value={find}
            placeholder={label}
            autocomplete="off"
          />
        </div>
        <div class="row">
          <button class="button" type="submit">
            {t('Find')}
          </button>
          {find !== '' && <a href={path}>{t('Show all')}</a>}
        </div>
      </form>
      {find !== '' && (
        <p class="small muted" role="status">
          {found}
        </p>
      )}
    </search>
  );
}
