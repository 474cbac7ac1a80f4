import { addDays, type Calendar, isDay } from '../../../countries/calendar.ts';
import { t } from '../../../language/text.ts';
import type { MessageSearch } from '../../../notifications/history/search-messages.ts';
import {
  type Status,
  type StatusGroup,
  statuses,
  statusesOfGroup,
  statusGroups,
} from '../../../notifications/notification.ts';
import { invalidField } from '../../../platform/failure.ts';
import { isUuid } from '../../../platform/id.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { readSearch, withQuery } from '../../links.ts';
import type { PageRequest } from '../../page.ts';

export const origins = {
  key: t('Sent by a key'),
  person: t('Sent by a person'),
  file: t('Sent from a file'),
  'test-key': t('Sent by a test key'),
} as const;
export type FromOrigin = keyof typeof origins;

/** The filters of the list. They are the query of every URL of it; the search text is encrypted there. */
export interface ListQuery {
  channel: Channel | undefined;
  status: StatusGroup | undefined;
  from: FromOrigin | undefined;
  /** The id of a file, to show only its messages. */
  file: string | undefined;
  /** The search text, and its encrypted form in URLs. */
  find: string;
  findToken: string;
  before: string | undefined;
  after: string | undefined;
}

type Seen = Pick<PageRequest<{ service: 'any' }>, 'query' | 'visitor'>;

export function readListQuery(app: Platform, { query, visitor }: Seen): ListQuery {
  const findToken = query('find');
  const parseId = (name: string) => (isUuid(query(name)) ? query(name).toLowerCase() : undefined);
  return {
    channel: channels.find((channel) => channel === query('channel')),
    status: statusGroups.find((group) => group === query('status')),
    from: (Object.keys(origins) as FromOrigin[]).find((origin) => origin === query('from')),
    file: parseId('file'),
    find: readSearch(app, visitor, findToken),
    findToken,
    before: parseId('before'),
    after: parseId('after'),
  };
}

/** URLs contain only searches that were valid. They are parsed again, because `today` changes its meaning every day. */
export function toSearch(
  calendar: Calendar,
  { channel, status, from, file, find }: ListQuery,
  now: Date,
): MessageSearch {
  const statuses = status && statusesOfGroup[status];
  return { channel, origin: from, file, statuses, ...parseSearch(calendar, find, now) };
}

/** Returns the URL of the same list with `changes`. A different list begins with its newest messages. */
export function listUrl(path: string, list: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { channel, status, from, file, findToken, before, after } = {
    ...list,
    before: undefined,
    after: undefined,
    ...changes,
  };
  return withQuery(path, { channel, status, from, file, find: findToken, before, after });
}

const operator = /(?<![^\s])(to|status|template|before|after|ref):\s*(?:"([^"]*)"|(\S+))?/gi;

/**
 * Parses the search text: operators such as `status:failed`, with quotes around a value that contains spaces. The rest is searched for in
 * recipients, references and file names.
 */
export function parseSearch(calendar: Calendar, text: string, now: Date): MessageSearch {
  const search: MessageSearch = {};
  for (const [, name = '', quoted, plain] of text.matchAll(operator)) {
    const value = (quoted ?? plain ?? '').trim();
    if (value === '')
      throw problem(t('Enter what you are looking for after {operator}:', { operator: name.toLowerCase() }));
    Object.assign(search, parsers[name.toLowerCase() as Operator](value, calendar, now));
  }
  const words = text.replaceAll(operator, ' ').replaceAll(/\s+/g, ' ').trim();
  return words === '' ? search : { ...search, words };
}

type Operator = 'to' | 'status' | 'template' | 'before' | 'after' | 'ref';

const parsers: Record<Operator, (value: string, calendar: Calendar, now: Date) => MessageSearch> = {
  to: (recipient) => ({ recipient }),
  template: (template) => ({ template }),
  ref: (reference) => ({ reference }),
  status: (value) => ({ statuses: parseStatus(value.toLowerCase()) }),
  before: (value, calendar, now) => ({ until: parseDay(calendar, 'before', value, now) }),
  // Includes the named day, like "since".
  after: (value, calendar, now) => ({ since: parseDay(calendar, 'after', value, now) }),
};

function parseStatus(value: string): readonly Status[] {
  const group = statusGroups.find((known) => known === value);
  const status = statuses.find((known) => known === value);
  if (group) return statusesOfGroup[group];
  if (status) return [status];
  throw problem(
    t('Enter a status such as {groups} or cancelled. “{value}” is not a status.', {
      groups: statusGroups.join(', '),
      value,
    }),
  );
}

/** Returns the start of the day. */
function parseDay(calendar: Calendar, name: string, value: string, now: Date): Date {
  const today = calendar.day(now);
  const day = { today, yesterday: addDays(today, -1) }[value.toLowerCase()] ?? value;
  if (!isDay(day))
    throw problem(t('Enter the day as {name}:{today}, {name}:today or {name}:yesterday.', { name, today }));
  return calendar.start(day);
}

const problem = (text: string) => invalidField('find', text);
