import type { MessageSearch } from '../../../notifications/history/search-messages.ts';
import { type Status, statuses } from '../../../notifications/notification.ts';
import { statusesOfGroup, statusGroups } from '../../../notifications/status-groups.ts';
import { addDays, isDay, londonDay, londonInstant } from '../../../platform/calendar.ts';
import { invalidField } from '../../../platform/failure.ts';

const operator = /(?<![^\s])(to|status|template|before|after|ref):\s*(?:"([^"]*)"|(\S+))?/gi;

/**
 * Reads the search box: operators such as `status:failed`, with quotes around a value that has spaces. What is left is
 * looked for in recipients, references and names of files.
 */
export function readSearch(text: string, now: Date): MessageSearch {
  const search: MessageSearch = {};
  for (const [, name = '', quoted, plain] of text.matchAll(operator)) {
    const value = (quoted ?? plain ?? '').trim();
    if (value === '') throw problem(`Write what you look for after ${name.toLowerCase()}:`);
    Object.assign(search, readers[name.toLowerCase() as Operator](value, now));
  }
  const words = text.replaceAll(operator, ' ').replaceAll(/\s+/g, ' ').trim();
  return words === '' ? search : { ...search, words };
}

type Operator = 'to' | 'status' | 'template' | 'before' | 'after' | 'ref';

const readers: Record<Operator, (value: string, now: Date) => MessageSearch> = {
  to: (recipient) => ({ recipient }),
  template: (template) => ({ template }),
  ref: (reference) => ({ reference }),
  status: (value) => ({ statuses: readStatus(value.toLowerCase()) }),
  before: (value, now) => ({ until: readDay('before', value, now) }),
  // A day that is named belongs to what is found, as with "since".
  after: (value, now) => ({ since: readDay('after', value, now) }),
};

function readStatus(value: string): readonly Status[] {
  const group = statusGroups.find((one) => one === value);
  const status = statuses.find((one) => one === value);
  if (group) return statusesOfGroup[group];
  if (status) return [status];
  throw problem(`There is no status “${value}”. Use ${statusGroups.join(', ')}, cancelled, or a status of the API.`);
}

/** The beginning of the day in London. */
function readDay(name: string, value: string, now: Date): Date {
  const today = londonDay(now);
  const day = { today, yesterday: addDays(today, -1) }[value.toLowerCase()] ?? value;
  if (!isDay(day)) throw problem(`Write the day as ${name}:${today}, ${name}:today or ${name}:yesterday.`);
  return londonInstant(day);
}

const problem = (text: string) => invalidField('find', text);
