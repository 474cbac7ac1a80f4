import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import { type Text, t } from '../language/text.ts';
import type { ConsoleApp } from './console-app.ts';
import { type MenuEntry, menuNames } from './layout/menus.ts';
import { keepSearch, pageUrl, readSearch, withQuery } from './links.ts';
import { count } from './money.ts';
import type { PageRequest, Pages } from './page.ts';
import { ListSearch } from './parts/list-search.tsx';
import { Empty } from './parts/notice.tsx';
import { OffsetPager, pageNumber, pageSize } from './parts/pager.tsx';
import { Segments } from './parts/tabs.tsx';

interface Selection<Group> {
  /** The search text; empty without a search. */
  text: string;
  group: Group | undefined;
  skip: number;
  limit: number;
}

interface ListPage<Row, Group extends string> {
  path: string;
  /** The entry in the menus, which is also the heading. */
  menu: MenuEntry;
  lead(total: number, group: Group | undefined): ComponentChildren;
  actions?(request: PageRequest<'operator'>): ComponentChildren;
  /** The label of the search field, which says what it searches. */
  searchLabel: Text;
  /** Filters of the list, with the query parameter that selects one. */
  groups?: { name: Text; parameter: string; names: Record<Group, Text> };
  read(selection: Selection<Group>): Promise<{ rows: readonly Row[]; total: number }>;
  /** Shown instead of a list without rows. */
  empty: { title: Text; text: Text };
  list(rows: readonly Row[], now: Date): ComponentChildren;
}

/** Adds a list for operators: a search, optional filters, the rows, and pagination. */
export function addListPage<Row, Group extends string = never>(
  pages: Pages,
  app: ConsoleApp,
  { path, menu, lead, actions, searchLabel, groups, read, empty, list }: ListPage<Row, Group>,
): void {
  const groupNames = groups ? (Object.entries(groups.names) as [Group, Text][]) : [];
  pages.add(path, {
    who: 'operator',
    menu,
    async show(request) {
      const { visitor, query } = request;
      const kept = query('find');
      const text = readSearch(app, visitor, kept);
      const [group] = groupNames.find(([one]) => one === query(groups?.parameter ?? '')) ?? [];
      const page = pageNumber(query('page'));
      const { rows, total } = await read({ text, group, skip: (page - 1) * pageSize, limit: pageSize });
      const to = (shown: Group | undefined, number?: number) =>
        withQuery(pageUrl(path), {
          find: text && kept,
          ...(groups ? { [groups.parameter]: shown } : {}),
          page: number,
        });
      return {
        title: menuNames[menu],
        lead: lead(total, group),
        actions: actions?.(request),
        content: (
          <div class="stack">
            <ListSearch
              name={menuNames[menu]}
              label={searchLabel}
              path={pageUrl(path)}
              find={text}
              found={t('{total} found', { total: count(total) })}
            />
            {groups && (
              <div>
                <Segments
                  name={groups.name}
                  tabs={[
                    { label: t('All'), to: to(undefined), isCurrent: group === undefined },
                    ...groupNames.map(([one, label]) => ({ label, to: to(one), isCurrent: one === group })),
                  ]}
                />
              </div>
            )}
            {rows.length === 0 ? <Empty title={empty.title}>{empty.text}</Empty> : list(rows, app.clock.now())}
            <OffsetPager page={page} total={total} to={(number) => to(group, number)} />
          </div>
        ),
      };
    },
    onlyReads: true,
    form: Type.Object({ find: Type.Optional(Type.String({ maxLength: 255 })) }),
    act: ({ visitor }, { find = '' }) => ({ to: withQuery(path, { find: keepSearch(app, visitor, find) }) }),
  });
}
