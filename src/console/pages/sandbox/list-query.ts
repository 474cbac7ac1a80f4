import { isUuid } from '../../../platform/id.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { readSearch } from '../../kept-search.ts';
import type { PageRequest } from '../../page.ts';

export const views = ['html', 'text', 'source', 'headers', 'raw'] as const;
type EmailView = (typeof views)[number];
export const widths = ['360', '600', 'full'] as const;
type MailWidth = (typeof widths)[number];

/** Where in the sandbox a person is: what the list shows, and how the message is shown. It is the query of every address. */
export interface ListQuery {
  channel: Channel | undefined;
  /** What is searched for, and how it is written in addresses. */
  find: string;
  kept: string;
  before: string | undefined;
  view: EmailView;
  width: MailWidth;
  /** Whether pictures from other servers are loaded. */
  images: boolean;
  page: number;
}

export function readListQuery(app: Platform, { query, visitor }: PageRequest<'signed-in'>): ListQuery {
  const kept = query('find');
  return {
    channel: channels.find((channel) => channel === query('channel')),
    find: readSearch(app, visitor, kept),
    kept,
    before: isUuid(query('before')) ? query('before') : undefined,
    view: views.find((view) => view === query('view')) ?? 'html',
    width: widths.find((width) => width === query('width')) ?? '600',
    images: query('images') === 'remote',
    page: /^[1-9]\d{0,2}$/.test(query('page')) ? Number(query('page')) : 1,
  };
}

/** The address below the sandbox at the same list, but for `changes`. Those of the message are left out for another one. */
export function listUrl(path: string, list: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { channel, kept, before, view, width, images, page } = { ...list, ...changes };
  const query = new URLSearchParams({
    ...(channel ? { channel } : {}),
    ...(kept ? { find: kept } : {}),
    ...(before ? { before } : {}),
    ...(view === 'html' ? {} : { view }),
    ...(width === '600' ? {} : { width }),
    ...(images ? { images: 'remote' } : {}),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return `/console/sandbox${path}${query && `?${query}`}`;
}

/** The place in the list alone, without how a message is shown. */
export function withoutMessageView(list: ListQuery): ListQuery {
  return { ...list, view: 'html', images: false, page: 1 };
}
