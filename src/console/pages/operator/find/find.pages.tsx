import { Type } from 'typebox';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch, readSearch } from '../../../kept-search.ts';
import type { Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { findAnything, type Results } from './find-results.ts';

const here = '/operator/find';

/** One box for everything. What is searched for may be a person's address: it is posted, and encrypted in addresses. */
export function findPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'operator',
    below: 'Overview',
    async show({ query, visitor }, formState) {
      const text = readSearch(app, visitor, query('q'));
      const results = text === '' ? undefined : await findAnything(app, text, visitor.user.platform_admin);
      if (results?.exact) return { to: results.exact };
      return {
        title: 'Find',
        lead: 'Services, organisations and brands by name, people by email address, and anything by its id.',
        content: (
          <div class="stack">
            <form class="measure" method="post" noValidate>
              <Field
                formState={formState}
                name="find"
                label="Name, address or id"
                type="search"
                value={text}
                beside={
                  <button class="button button--primary" type="submit">
                    Find
                  </button>
                }
              />
            </form>
            {results && <Found text={text} groups={results.groups} />}
          </div>
        ),
      };
    },
    form: Type.Object({ find: Type.String({ maxLength: 320 }) }),
    needs: { find: 'Enter a name, an address or an id.' },
    onlyReads: true,
    act: ({ visitor }, { find }) => ({
      to: `${here}?${new URLSearchParams({ q: keepSearch(app, visitor, find) })}`,
    }),
  });
}

function Found({ text, groups }: { text: string; groups: Results['groups'] }) {
  if (groups.length === 0) {
    return (
      <div class="empty">
        <h2>Nothing found</h2>
        <p>Nothing has “{text}” in its name or address, or as its id. Parts of ids are not searched.</p>
      </div>
    );
  }
  return (
    <>
      {groups.map(({ title, results, more }) => (
        <section key={title} class="card measure">
          <div class="card-head">
            <h2>{title}</h2>
          </div>
          <ul class="list">
            {results.map(({ label, to, about }) => (
              <li key={to ?? label}>
                {to ? <a href={`/console${to}`}>{label}</a> : label}
                {about && <span class="muted">{about}</span>}
              </li>
            ))}
            {more > 0 && <li class="muted">and {more.toLocaleString('en-GB')} more: search for a longer part.</li>}
          </ul>
        </section>
      ))}
    </>
  );
}
