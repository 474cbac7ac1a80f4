import { isUuid } from '../../../platform/id.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import type { OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl, readSearch } from '../../links.ts';
import type { PageRequest } from '../../page.ts';
import { pageNumber } from '../../parts/pager.tsx';
import { listPath } from './library.ts';

/** The filters of the list. */
export interface ListQuery {
  service_id: string;
  folder: string | null;
  channel: Channel | undefined;
  /** The search text, and its encrypted form in URLs. */
  find: string;
  findToken: string;
  archived: boolean;
  page: number;
}

export function readListQuery(app: ConsoleApp, { service, visitor, query }: PageRequest<OfService>): ListQuery {
  const findToken = query('find');
  return {
    service_id: service.id,
    folder: isUuid(query('folder')) ? query('folder') : null,
    channel: channels.find((channel) => channel === query('channel')),
    find: readSearch(app, visitor, findToken),
    findToken,
    archived: query('archived') === 'yes',
    page: pageNumber(query('page')),
  };
}

/** Returns the path of the filtered list, below /console. */
export function listQueryPath(list: ListQuery, change: Partial<ListQuery> = {}): string {
  const { service_id, folder, channel, findToken, archived, page } = { ...list, page: 1, ...change };
  return listPath(service_id, {
    folder: folder ?? undefined,
    channel,
    find: findToken,
    archived: archived ? 'yes' : undefined,
    page: page > 1 ? String(page) : undefined,
  });
}

export function listUrl(list: ListQuery, change: Partial<ListQuery> = {}): string {
  return pageUrl(listQueryPath(list, change));
}
