import { Type } from 'typebox';
import { listGoLiveRequests, type ServiceState, searchServices } from '../../../../services/services.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch, readSearch } from '../../../kept-search.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { ListSearch } from '../../../parts/list-search.tsx';
import { OffsetPager, pageNumber, pageSize } from '../../../parts/offset-pager.tsx';
import { Segments } from '../../../parts/tabs.tsx';
import { withQuery } from '../../../with-query.ts';
import { RequestList, ServiceList, stateNames } from './service-list.tsx';

const path = '/operator/services';
const shownStates: readonly ServiceState[] = ['live', 'trial', 'asking', 'suspended', 'archived'];
const maxRequests = 200;

/** Every service, and those that ask to go live. */
export function operatorServicePages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    menu: 'Services',
    async show({ visitor, query }) {
      const kept = query('find');
      const text = readSearch(app, visitor, kept);
      const state = shownStates.find((one) => one === query('state'));
      const page = pageNumber(query('page'));
      const which = { text, state, skip: (page - 1) * pageSize, limit: pageSize };
      const { services, total } = await searchServices(app.db, which);
      const to = (change: { state?: string | undefined; page?: number }) =>
        withQuery(`/console${path}`, { find: text && kept, state, ...change });
      return {
        title: 'Services',
        lead: `${count(total)} ${total === 1 ? 'service' : 'services'}${state ? `: ${stateNames[state].toLowerCase()}` : ''}.`,
        actions: (
          <a class="button" href={`/console${path}/going-live`}>
            Requests to go live
          </a>
        ),
        content: (
          <div class="stack">
            <ListSearch
              name="Services"
              label="Name or id of a service"
              path={`/console${path}`}
              find={text}
              found={`${count(total)} found`}
            />
            <div>
              <Segments
                name="State"
                tabs={[undefined, ...shownStates].map((one) => ({
                  label: one ? stateNames[one] : 'All',
                  to: to({ state: one }),
                  isCurrent: one === state,
                }))}
              />
            </div>
            {services.length === 0 ? (
              <div class="empty">
                <h2>No service found</h2>
                <p>Search for another part of the name, or show services of another state.</p>
              </div>
            ) : (
              <ServiceList services={services} now={app.clock.now()} />
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

  pages.add(`${path}/going-live`, {
    who: 'operator',
    below: 'Services',
    async show() {
      const requests = await listGoLiveRequests(app.db, maxRequests);
      return {
        title: 'Requests to go live',
        lead: 'Those that have waited longest come first.',
        crumbs: [{ label: 'Services', to: path }],
        content:
          requests.length === 0 ? (
            <div class="empty">
              <h2>Nobody asks to go live</h2>
              <p>A service in trial mode can ask when its checklist is done. You see it here and on the overview.</p>
            </div>
          ) : (
            <RequestList requests={requests} now={app.clock.now()} />
          ),
      };
    },
  });
}
