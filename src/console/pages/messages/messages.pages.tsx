import { Type } from 'typebox';
import { countKeptMessages, exportMessages, searchMessages } from '../../../notifications/history/search-messages.ts';
import { statusGroups } from '../../../notifications/status-groups.ts';
import { londonDay } from '../../../platform/calendar.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { sendCsv } from '../../../platform/http/csv.ts';
import { channels } from '../../../protocol/channels.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { retentionDaysOf } from '../../../services/settings/data-retention.ts';
import { may } from '../../access/may.ts';
import { BriefCache } from '../../brief-cache.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch } from '../../kept-search.ts';
import type { Asked, Draft, Pages, View } from '../../page.ts';
import { Live } from '../../parts/live.tsx';
import { type Fragment, renderFragment, sendFragment } from '../../send-fragment.tsx';
import { MessageList } from './message-list.tsx';
import { addressOf, type FromOrigin, origins, type Place, placeOf, searchOf } from './place.ts';
import { readSearch } from './read-search.ts';
import { countsOf, MessageFilters, MessageSearchForm } from './toolbar.tsx';

type Seen = Asked<{ service: 'any' }>;

/** Less than the time between two requests of a page. */
const sharedFor_ms = 3_000;

/** What a service has sent, for its whole team. */
export function messagesPages(pages: Pages, app: ConsoleApp): void {
  const shared = new BriefCache<Fragment>(sharedFor_ms);

  pages.add('/services/:service_id/messages', {
    who: { service: 'any' },
    menu: 'Messages',
    show: (asked, draft) => listView(asked, draft),
    form: Type.Object({
      find: Type.Optional(Type.String({ maxLength: 200 })),
      channel: Type.Optional(OneOf(channels)),
      status: Type.Optional(OneOf(statusGroups)),
      from: Type.Optional(OneOf(Object.keys(origins) as FromOrigin[])),
    }),
    act({ service, visitor }, { find = '', ...others }) {
      readSearch(find, app.clock.now());
      const query = new URLSearchParams({ ...others, ...(find ? { find: keepSearch(app, visitor, find) } : {}) });
      return { to: `/services/${service.id}/messages${query.size > 0 ? `?${query}` : ''}` };
    },
  });

  pages.add('/services/:service_id/messages/list', {
    who: { service: 'any' },
    live: true,
    async show(asked) {
      const place = placeOf(app, asked);
      const read = async () => renderFragment(<div data-live>{await content(asked, place)}</div>);
      // What somebody searches for is not shared.
      const key = `${asked.service.id} ${mayOpen(asked)} ${addressOf('', place)}`;
      const fragment = place.find === '' ? await shared.get(key, read) : await read();
      return sendFragment(asked.request, asked.reply, fragment);
    },
  });

  pages.add('/services/:service_id/messages/csv', {
    who: { service: 'activity' },
    async show(asked) {
      const now = app.clock.now();
      const search = searchOf(placeOf(app, asked), now);
      const parts = await fromStandby(app, 'file', (reader) => exportMessages(reader, asked.service.id, search));
      return { sent: sendCsv(asked.reply, `${asked.service.name} messages ${londonDay(now)}.csv`, parts) };
    },
  });

  const mayOpen = ({ visitor, service }: Seen) => may({ service: 'messages' }, visitor.user, service) === 'yes';
  const pathOf = ({ service }: Seen) => `/console/services/${service.id}/messages`;

  async function content(asked: Seen, place: Place) {
    const now = app.clock.now();
    const path = pathOf(asked);
    const find = (reader: ConsoleApp) => searchMessages(reader, asked.service.id, searchOf(place, now), place);
    // The newest messages are found at once, and open pages ask for them every few seconds.
    const isSearch = place.find !== '' || place.before !== undefined || place.after !== undefined;
    const found = await (isSearch ? fromStandby(app, 'page', find) : find(app));
    // The statistics know channels and statuses, not what is searched for.
    const isCounted = place.find === '' && place.from === undefined;
    const counts = isCounted ? countsOf(await countKeptMessages(app, asked.service.id), place) : undefined;
    return (
      <div class="stack">
        <MessageFilters place={place} path={path} counts={counts} />
        <MessageList
          found={found}
          place={place}
          path={path}
          total={counts?.[place.status ?? 'all']}
          mayOpen={mayOpen(asked)}
          now={now}
        />
      </div>
    );
  }

  async function listView(asked: Seen, draft: Draft): Promise<View> {
    const place = placeOf(app, asked);
    const path = pathOf(asked);
    const mayDownload = may({ service: 'activity' }, asked.visitor.user, asked.service) === 'yes';
    const list = await content(asked, place);
    const isNewest = place.before === undefined && place.after === undefined;
    return {
      title: 'Messages',
      lead: keptFor(await retentionDaysOf(app.db, asked.service.id)),
      actions: (
        <>
          <span data-live-controls />
          {mayDownload && (
            <a class="button button--small" href={addressOf(`${path}/csv`, place)} download>
              Download CSV
            </a>
          )}
        </>
      ),
      content: (
        <div class="stack">
          <MessageSearchForm place={place} path={path} draft={draft} />
          {isNewest ? (
            <Live from={addressOf(`${path}/list`, place)} every={5}>
              {list}
            </Live>
          ) : (
            list
          )}
          {mayOpen(asked) && (
            <p class="row small muted" data-list-keys hidden>
              <span>
                <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>Enter</kbd> open, <kbd>/</kbd> search
              </span>
              <button class="button button--quiet button--small" type="button">
                Switch keys off
              </button>
            </p>
          )}
        </div>
      ),
      scripts: ['list-keys'],
    };
  }
}

function keptFor({ email, sms, letter }: { email: number; sms: number; letter: number }): string {
  if (email === sms && sms === letter) return `Messages are kept for ${email} days.`;
  return `Emails are kept for ${email} days, texts for ${sms}, letters for ${letter}.`;
}
