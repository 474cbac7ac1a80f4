import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { findOpenService } from '../../access/admission.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, pageUrl, readSearch, withQuery } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Empty } from '../../parts/notice.tsx';
import { parseSearch } from '../messages/list-query.ts';
import type { Finder, Group } from './finder.ts';
import { findId, findInInstallation } from './in-installation.ts';
import { findInService, findPagesByName, findServices } from './in-service.ts';

const here = '/find';

/** One search for everything. The search text may be a person's email address, so it is posted, and encrypted in URLs. */
export function findPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'signed-in',
    async show({ query, visitor, viewer, http }, formState) {
      const text = readSearch(app, visitor, query('q'));
      const service = await findOpenService(app, http, visitor);
      const finder = { app, pages: pages.all, visitor, viewer, service, text };
      const exact = await findId(finder);
      if (exact !== undefined) return { to: exact };
      return {
        title: t('Find'),
        lead: service
          ? t('Pages, services, and the templates, people and messages of {name}.', { name: service.name })
          : t('Pages and services. Open a service to find its templates, people and messages.'),
        content: (
          <div class="stack">
            <form class="measure" method="post" noValidate>
              <Field
                formState={formState}
                name="find"
                label={t('Name, address, reference or id')}
                type="search"
                value={text}
                beside={
                  <button class="button button--primary" type="submit">
                    {t('Find')}
                  </button>
                }
              />
            </form>
            {text !== '' && <Found text={text} groups={await findGroups(finder)} />}
          </div>
        ),
      };
    },
    form: Type.Object({ find: Type.String({ maxLength: 320 }) }),
    needs: { find: t('Enter a name, an address, a reference or an id.') },
    onlyReads: true,
    act({ visitor, viewer }, { find }) {
      parseSearch(viewer.calendar, find, app.clock.now());
      return { to: withQuery(here, { q: keepSearch(app, visitor, find) }) };
    },
  });
}

/** Nearest results first: the open service, the person's own services, then the whole installation. */
async function findGroups(finder: Finder): Promise<Group[]> {
  const groups = await Promise.all([
    findPagesByName(finder),
    findInService(finder),
    findServices(finder),
    findInInstallation(finder),
  ]);
  return groups.flat().filter(({ results }) => results.length > 0);
}

function Found({ text, groups }: { text: string; groups: Group[] }) {
  if (groups.length === 0) {
    return (
      <Empty title={t('Nothing found')}>
        <T>
          Nothing you can see has “<bdi>{{ text }}</bdi>” in its name, address or reference, or as its id. Enter a whole
          id: parts of ids are not searched.
        </T>
      </Empty>
    );
  }
  return (
    <>
      {groups.map(({ title, results, more }) => (
        <section key={title} class="card measure">
          <div class="card-head">
            <h2 dir="auto">{title}</h2>
          </div>
          <ul class="list">
            {results.map(({ label, to, about }) => (
              <li key={to}>
                <a href={pageUrl(to)} dir="auto">
                  {label}
                </a>
                {about && (
                  <span class="muted" dir="auto">
                    {about}
                  </span>
                )}
              </li>
            ))}
            {more && <li>{more.to ? <a href={pageUrl(more.to)}>{more.label}</a> : more.label}</li>}
          </ul>
        </section>
      ))}
    </>
  );
}
