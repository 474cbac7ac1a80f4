import { isUuid } from '../../../platform/id.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { pageUrl, readSearch, withQuery } from '../../links.ts';
import type { PageRequest } from '../../page.ts';

export const views = ['html', 'text', 'both', 'source', 'headers', 'raw'] as const;
type EmailView = (typeof views)[number];
export const widths = ['360', '600', 'full'] as const;
type MailWidth = (typeof widths)[number];

/** The filters of the list and the view of the message. They are the query of every URL of the sandbox. */
export interface ListQuery {
  channel: Channel | undefined;
  /** The search text, and its encrypted form in URLs. */
  find: string;
  findToken: string;
  before: string | undefined;
  view: EmailView;
  width: MailWidth;
  /** Whether pictures from other servers are loaded. */
  images: boolean;
  page: number;
}

export function readListQuery(app: Platform, { query, visitor }: PageRequest<'signed-in'>): ListQuery {
  const findToken = query('find');
  return {
    channel: channels.find((channel) => channel === query('channel')),
    find: readSearch(app, visitor, findToken),
    findToken,
    before: isUuid(query('before')) ? query('before') : undefined,
    view: views.find((view) => view === query('view')) ?? 'html',
    width: widths.find((width) => width === query('width')) ?? '600',
    images: query('images') === 'remote',
    page: /^[1-9]\d{0,2}$/.test(query('page')) ? Number(query('page')) : 1,
  };
}

/** Returns a URL of the sandbox that shows the same list with `changes`. */
export function sandboxUrl(path: string, list: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { channel, findToken, before, view, width, images, page } = { ...list, ...changes };
  return withQuery(pageUrl(`/sandbox${path}`), {
    channel,
    find: findToken,
    before,
    view: view === 'html' ? undefined : view,
    width: width === '600' ? undefined : width,
    images: images ? 'remote' : undefined,
    page: page === 1 ? undefined : page,
  });
}

/** Resets the view, so that another message is shown in the default view. */
export function withoutMessageView(list: ListQuery): ListQuery {
  return { ...list, view: 'html', images: false, page: 1 };
}
