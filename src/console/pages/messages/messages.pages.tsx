import { Type } from 'typebox';
import { getJob } from '../../../jobs/jobs.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { countKeptMessages, exportMessages, searchMessages } from '../../../notifications/history/search-messages.ts';
import { statusGroups } from '../../../notifications/notification.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { sendCsv } from '../../../platform/http/csv.ts';
import { channels } from '../../../protocol/channels.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { retentionDaysOf } from '../../../services/settings/data-retention.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, pageUrl, withQuery } from '../../links.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Live, SharedFragments, sendFragment } from '../../parts/live.tsx';
import { ZoneOfFile } from '../../parts/time.tsx';
import { Delays, delayReader } from '../home/delays.tsx';
import {
  type FromOrigin,
  type ListQuery,
  listUrl,
  origins,
  parseSearch,
  readListQuery,
  toSearch,
} from './list-query.ts';
import { countByStatus, MessageFilters, MessageList, MessageSearchForm } from './message-list.tsx';
import { statusHelp } from './statuses.pages.tsx';

type Seen = PageRequest<{ service: 'any' }>;

/** Shorter than the polling interval of a page. */
const sharedFor_ms = 3_000;

/** The message log of a service, for its whole team. */
export function messagesPages(pages: Pages, app: ConsoleApp): void {
  const shared = new SharedFragments(sharedFor_ms);
  const readDelays = delayReader(app);

  pages.add('/services/:service_id/messages', {
    who: { service: 'any' },
    menu: 'Messages',
    show: (request, formState) => listView(request, formState),
    form: Type.Object({
      find: Type.Optional(Type.String({ maxLength: 200 })),
      channel: Type.Optional(OneOf(channels)),
      status: Type.Optional(OneOf(statusGroups)),
      from: Type.Optional(OneOf(Object.keys(origins) as FromOrigin[])),
      file: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    act({ service, visitor, viewer }, { find = '', ...others }) {
      parseSearch(viewer.calendar, find, app.clock.now());
      const query = { ...others, find: keepSearch(app, visitor, find) };
      return { to: withQuery(`/services/${service.id}/messages`, query) };
    },
  });

  pages.add('/services/:service_id/messages/list', {
    who: { service: 'any' },
    live: true,
    async show(request) {
      const list = readListQuery(app, request);
      const read = async () => <div data-live>{await content(request, list)}</div>;
      // Search results are not shared, because the search in the URL is encrypted for one person.
      const key = `${request.service.id} ${mayOpen(request)} ${listUrl('', list)}`;
      const fragment = list.find === '' ? await shared.get(request.viewer, key, read) : await read();
      return sendFragment(request.http, request.reply, fragment);
    },
  });

  pages.add('/services/:service_id/messages/csv', {
    who: { service: 'activity' },
    async show(request) {
      const now = app.clock.now();
      const search = toSearch(request.viewer.calendar, readListQuery(app, request), now);
      const parts = await fromStandby(app, 'file', (reader) => exportMessages(reader, request.service.id, search));
      return {
        sent: sendCsv(request.reply, `${request.service.name} messages ${app.country.calendar.day(now)}.csv`, parts),
      };
    },
  });

  const mayOpen = ({ visitor, service }: Seen) => may({ service: 'messages' }, visitor.user, service) === 'yes';
  const pathOf = ({ service }: Seen) => `/services/${service.id}/messages`;
  const buildUrl = (request: Seen) => pageUrl(pathOf(request));

  async function content(request: Seen, list: ListQuery) {
    const now = app.clock.now();
    const path = buildUrl(request);
    const find = (reader: ConsoleApp) =>
      searchMessages(reader, request.service.id, toSearch(request.viewer.calendar, list, now), list);
    // The newest messages are found at once, and open pages poll them every few seconds.
    const isSearch = list.find !== '' || list.before !== undefined || list.after !== undefined;
    const found = await (isSearch ? fromStandby(app, 'page', find) : find(app));
    // The statistics count by channel and status, but not by search.
    const isCounted = list.find === '' && list.from === undefined && list.file === undefined;
    const counts = isCounted ? countByStatus(await countKeptMessages(app, request.service.id), list) : undefined;
    return (
      <div class="stack">
        <Delays delays={await readDelays(request.service)} viewer={request.viewer} now={now} />
        <MessageFilters list={list} path={path} counts={counts} />
        <MessageList
          found={found}
          list={list}
          path={path}
          total={counts?.[list.status ?? 'all']}
          mayOpen={mayOpen(request)}
          now={now}
          phone={app.country.phone}
        />
      </div>
    );
  }

  async function listView(request: Seen, formState: FormState): Promise<View> {
    const list = readListQuery(app, request);
    const path = buildUrl(request);
    const mayDownload = may({ service: 'activity' }, request.visitor.user, request.service) === 'yes';
    const file = list.file && (await getJob(app, request.service.id, list.file));
    const shown = await content(request, list);
    const isNewest = list.before === undefined && list.after === undefined;
    return {
      title: t('Messages'),
      lead: (
        <>
          {describeRetention(await retentionDaysOf(app.db, request.service.id))}{' '}
          <a href={pageUrl(statusHelp)} data-drawer data-say-close={t('Close')}>
            {t('What the statuses mean')}
          </a>
        </>
      ),
      actions: (
        <>
          <span data-live-controls />
          {mayDownload && (
            <>
              <ZoneOfFile />
              <ButtonLink to={listUrl(`${pathOf(request)}/csv`, list)} small download>
                {t('Download CSV')}
              </ButtonLink>
            </>
          )}
        </>
      ),
      content: (
        <div class="stack">
          <MessageSearchForm list={list} path={path} formState={formState} />
          {file && (
            <p>
              <T>
                Only messages of{' '}
                <a href={pageUrl(`/services/${request.service.id}/files/${file.id}`)} dir="auto">
                  {{ originalFileName: file.original_file_name }}
                </a>
                . <a href={listUrl(path, list, { file: undefined })}>Show all messages</a>
              </T>
            </p>
          )}
          {isNewest ? (
            <Live from={listUrl(`${path}/list`, list)} every={5}>
              {shown}
            </Live>
          ) : (
            shown
          )}
          {mayOpen(request) && (
            <p class="row small muted" data-list-keys hidden>
              <span>
                <T>
                  <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>Enter</kbd> open, <kbd>/</kbd> search
                </T>
              </span>
              <button class="button button--quiet button--small" type="button">
                <span>{t('Switch shortcuts off')}</span>
                <span hidden>{t('Switch shortcuts on')}</span>
              </button>
            </p>
          )}
        </div>
      ),
      scripts: ['list-keys', 'drawer'],
    };
  }
}

function describeRetention({ email, sms, letter }: { email: number; sms: number; letter: number }): string {
  if (email === sms && sms === letter) return t('We keep messages for {email} days.', { email });
  return t('We keep emails for {email} days, texts for {sms} days and letters for {letter} days.', {
    email,
    sms,
    letter,
  });
}
