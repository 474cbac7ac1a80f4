import type { ComponentChildren } from 'preact';
import { type Text, t } from '../../../language/text.ts';
import { pageUrl, withQuery } from '../../links.ts';
import type { FormState } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { OlderPager } from '../../parts/pager.tsx';

interface Props {
  formState: FormState;
  /** The field for a whole address or number. */
  field: { name: string; label: Text; hint: Text };
  /** What was searched for. */
  sought: string;
  /** Shown if the entry is not in the list. */
  absent: Text;
  /** How many entries are shown, in words. */
  shown: Text;
  entries: readonly { id: string }[];
  hasOlder: boolean;
  /** The path of the list, below /console. */
  list: string;
  olderThan: string | undefined;
  /** The table. */
  children: ComponentChildren;
}

/** A list in which people find one entry by its whole address or number, which stays out of the address of the page. */
export function SearchedList(props: Props) {
  const { formState, field, sought, absent, shown, entries, hasOlder, list, olderThan, children } = props;
  return (
    <div class="stack">
      <form class="measure" method="post" action={pageUrl(list)} noValidate>
        <Field
          formState={formState}
          {...field}
          type="search"
          value={sought}
          autocomplete="off"
          beside={
            <button class="button" type="submit">
              {t('Find')}
            </button>
          }
        />
      </form>
      {sought !== '' && (
        <p>
          {entries.length === 0 && <>{absent} </>}
          <a href={pageUrl(list)}>{t('Show the whole list')}</a>
        </p>
      )}
      {entries.length > 0 && children}
      <OlderPager
        rows={entries}
        shown={shown}
        olderThan={olderThan}
        to={(older_than) => withQuery(pageUrl(list), { older_than })}
        hasOlder={hasOlder}
      />
    </div>
  );
}
