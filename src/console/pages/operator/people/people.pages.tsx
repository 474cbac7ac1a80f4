import { Type } from 'typebox';
import { type PeopleGroup, searchPeople } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch, readSearch } from '../../../kept-search.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { ListSearch } from '../../../parts/list-search.tsx';
import { OffsetPager, pageNumber, pageSize } from '../../../parts/offset-pager.tsx';
import { Table } from '../../../parts/table.tsx';
import { Segments } from '../../../parts/tabs.tsx';
import { Time } from '../../../parts/time.tsx';
import { withQuery } from '../../../with-query.ts';
import { PersonBadges } from './person-badges.tsx';

const path = '/operator/people';
const groupNames: Record<PeopleGroup, string> = {
  operators: 'Operators',
  locked: 'Locked out',
  pending: 'Not confirmed',
  archived: 'Archived',
};
const groups = Object.keys(groupNames) as PeopleGroup[];

/** Everybody who has an account. */
export function peoplePages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    menu: 'People',
    async show({ visitor, query }) {
      const kept = query('find');
      const text = readSearch(app, visitor, kept);
      const group = groups.find((one) => one === query('show'));
      const page = pageNumber(query('page'));
      const now = app.clock.now();
      const which = { text, group, skip: (page - 1) * pageSize, limit: pageSize };
      const { people, total } = await searchPeople(app.db, which);
      const to = (change: { show?: string | undefined; page?: number }) =>
        withQuery(`/console${path}`, { find: text && kept, show: group, ...change });
      return {
        title: 'People',
        lead: `${count(total)} ${total === 1 ? 'person' : 'people'}${group ? `: ${groupNames[group].toLowerCase()}` : ''}.`,
        content: (
          <div class="stack">
            <ListSearch
              name="People"
              label="Name, email address or id"
              path={`/console${path}`}
              find={text}
              found={`${count(total)} found`}
            />
            <div>
              <Segments
                name="Group"
                tabs={[undefined, ...groups].map((one) => ({
                  label: one ? groupNames[one] : 'All',
                  to: to({ show: one }),
                  isCurrent: one === group,
                }))}
              />
            </div>
            {people.length === 0 ? (
              <div class="empty">
                <h2>Nobody found</h2>
                <p>Search for another part of the name or address.</p>
              </div>
            ) : (
              <Table
                caption="People"
                rows={people}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Person',
                    cell: ({ id, name, email_address }) => (
                      <>
                        <a href={`/console${path}/${id}`}>{name}</a>
                        <small>{email_address}</small>
                      </>
                    ),
                  },
                  { head: 'State', cell: (person) => <PersonBadges {...person} /> },
                  {
                    head: 'Signed in',
                    cell: ({ logged_in_at }) =>
                      logged_in_at ? <Time at={logged_in_at} now={now} /> : <span class="muted">Never</span>,
                  },
                ]}
              />
            )}
            <OffsetPager page={page} total={total} to={(other) => to({ page: other })} />
          </div>
        ),
      };
    },
    onlyReads: true,
    form: Type.Object({ find: Type.Optional(Type.String({ maxLength: 255 })) }),
    act({ visitor }, { find = '' }) {
      return { to: `${path}${find && `?${new URLSearchParams({ find: keepSearch(app, visitor, find) })}`}` };
    },
  });
}
