import { addDays, type Calendar } from '../../countries/calendar.ts';
import { earlier, hour_ms, later } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { firstIdAt } from '../../platform/id.ts';
import { type DayCount, type IdRange, type MessageFilter, selectSlice } from './message-rows.sql.ts';

/** The first read fills most pages. A search for one recipient continues in larger steps. */
const [firstRead, usualStep] = [500, 20_000];

/** Daily counts of matching messages, from the statistics. */
interface Known {
  /** The calendar of `days`. */
  calendar: Calendar;
  /** Days with matching messages, newest first. */
  days: readonly DayCount[];
  /**
   * Counts matching messages that are newer than the range. Called once, if the first slice is not enough. Returns undefined if there are
   * too many to count.
   */
  countNewer?(): Promise<number | undefined>;
}

interface Search {
  order?: 'asc' | 'desc';
  /** An ascending search begins after this id. */
  after?: string | undefined;
  /** The maximum number of ids to return, after `skip` matches. */
  size: number;
  skip?: number | undefined;
  known?: Known | undefined;
  /** How many messages each further read takes. The server plans each read again, which takes as long as reading some 5,000 messages. */
  step?: number;
  /**
   * Whether to continue after so many messages. Every search has a limit: there is no index by recipient or status, because it would slow
   * down every accepted message.
   */
  mayReadOn(read: number): boolean;
}

export interface FoundIds {
  ids: string[];
  /** How many of the messages that were read match. */
  matching: number;
  /** The id at which the search stopped without looking further; undefined if it is complete or the page is full. */
  stoppedAt: string | undefined;
}

/** Reads the messages of a service in slices until enough of them match. */
export async function findMessages(
  db: Db | Tx,
  serviceId: string,
  filter: MessageFilter,
  range: IdRange,
  { order = 'desc', size, known, step = usualStep, mayReadOn, ...search }: Search,
): Promise<FoundIds> {
  const found: FoundIds = { ids: [], matching: 0, stoppedAt: undefined };
  const counted = order === 'desc' ? known : undefined;
  let { after, skip = 0 } = search;
  let end_id: string | undefined = counted ? nextMatch(counted, range.end_id, 0) : range.end_id;
  let newer: number | undefined;
  let chunkSize = Math.min(Math.max(firstRead, skip + size), step);
  for (let read = 0; end_id !== undefined; chunkSize = step) {
    const options = { size: chunkSize, order, after, skip, max: size - found.ids.length };
    const slice = await selectSlice(db, serviceId, filter, { first_id: range.first_id, end_id }, options);
    found.ids.push(...slice.ids);
    found.matching += slice.matching;
    if (slice.last === null || slice.read < chunkSize || found.ids.length >= size) break;
    if (counted) {
      if (read === 0) newer = await counted.countNewer?.();
      end_id = nextMatch(counted, slice.last, newer === undefined ? 0 : newer + found.matching);
    }
    after = slice.last;
    skip = Math.max(0, skip - slice.matching);
    read += slice.read;
    if (end_id !== undefined && !mayReadOn(read)) return { ...found, stoppedAt: after };
  }
  return found;
}

/**
 * Returns an id above all remaining candidates, to continue the search below it. Skips days without matching messages, and the rest of a
 * day if all its matches were found. Returns undefined if there are no more.
 *
 * Ids are created within moments of acceptance, so a margin of an hour is more than enough. The counts include messages that were deleted
 * or that other conditions exclude; then the search skips less than it could. `found` is 0 if it is unknown.
 */
function nextMatch({ calendar, days }: Known, before: string, found: number): string | undefined {
  let counted = 0;
  for (const { london_day, count } of days) {
    counted += count;
    const first_id = firstIdAt(earlier(calendar.start(london_day), hour_ms));
    const end_id = firstIdAt(later(calendar.start(addDays(london_day, 1)), hour_ms));
    if (counted > found && first_id < before) return end_id < before ? end_id : before;
  }
  return undefined;
}
