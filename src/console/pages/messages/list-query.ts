import type { MessageSearch } from '../../../notifications/history/search-messages.ts';
import { type StatusGroup, statusesOfGroup, statusGroups } from '../../../notifications/status-groups.ts';
import { isUuid } from '../../../platform/id.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { readSearch as readKept } from '../../kept-search.ts';
import type { PageRequest } from '../../page.ts';
import { withQuery } from '../../with-query.ts';
import { readSearch } from './read-search.ts';

export const origins = { key: 'a key', person: 'a person', file: 'a file', 'test-key': 'a test key' } as const;
export type FromOrigin = keyof typeof origins;

/** Which messages the list shows. It is the query of every address; what was searched for is encrypted in it. */
export interface ListQuery {
  channel: Channel | undefined;
  status: StatusGroup | undefined;
  from: FromOrigin | undefined;
  find: string;
  kept: string;
  before: string | undefined;
  after: string | undefined;
}

type Seen = Pick<PageRequest<{ service: 'any' }>, 'query' | 'visitor'>;

export function readListQuery(app: Platform, { query, visitor }: Seen): ListQuery {
  const kept = query('find');
  const idOf = (name: string) => (isUuid(query(name)) ? query(name).toLowerCase() : undefined);
  return {
    channel: channels.find((channel) => channel === query('channel')),
    status: statusGroups.find((group) => group === query('status')),
    from: (Object.keys(origins) as FromOrigin[]).find((origin) => origin === query('from')),
    find: readKept(app, visitor, kept),
    kept,
    before: idOf('before'),
    after: idOf('after'),
  };
}

/** Only searches that were valid are kept. The day that `today` names moves on. */
export function searchOf({ channel, status, from, find }: ListQuery, now: Date): MessageSearch {
  const statuses = status && statusesOfGroup[status];
  return { channel, origin: from, statuses, ...readSearch(find, now) };
}

/** The address of the same list, but for `changes`. Another list begins with its newest messages. */
export function listUrl(path: string, list: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { channel, status, from, kept, before, after } = { ...list, before: undefined, after: undefined, ...changes };
  return withQuery(path, { channel, status, from, find: kept, before, after });
}
