import type { Calendar } from '../../countries/calendar.ts';
import { earlier, hour_ms } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { type FoundIds, findMessages } from './find-messages.ts';
import { type MessageFilter, selectMatchingDays } from './message-rows.sql.ts';
import { type Page, selectIdsOfJob, selectStoredId } from './stored-notifications.sql.ts';

/**
 * `read`: how many messages a request scans, in about a fifth of a second. `newer`: how many newer ones it counts, to find out whether it
 * has found all messages of a rare kind.
 */
export const listLimits = { read: 100_000, newer: 100_000 };
/** Skips all matches, so that only their number is returned. */
const onlyCount = { skip: Number.MAX_SAFE_INTEGER, size: 1 };
const maxRead = listLimits.read.toLocaleString('en-GB');
export const listDescription =
  `A request looks through up to ${maxRead} messages, and returns those of the page that it found. If it found none of them, the ` +
  'response is 400 and contains the id to go on from, as `older_than`.';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface NotificationFilter extends MessageFilter {
  job_id?: string | undefined;
  older_than?: string | undefined;
}

interface NotificationPage {
  /** Newest first. */
  ids: string[];
  /** Whether there may be more, beyond the messages that the request scanned. */
  isCut: boolean;
}

/**
 * A page after `older_than` costs the same at any depth. Numbered pages and rare kinds of messages are searched for only within
 * `listLimits.read` messages; beyond that, the response says how to continue. An `older_than` that is not a notification of the service
 * matches nothing.
 */
export async function listNotifications(
  { db, country: { calendar } }: Platform,
  serviceId: string,
  { job_id, ...filter }: NotificationFilter,
  page: Page,
): Promise<NotificationPage> {
  const older_than = filter.older_than && (await selectStoredId(db, serviceId, filter.older_than));
  if (filter.older_than !== undefined && older_than === undefined) return { ids: [], isCut: false };
  if (job_id !== undefined) {
    const ofJob = { ...filter, job_id, older_than };
    return { ids: filter.without_jobs ? [] : await selectIdsOfJob(db, serviceId, ofJob, page, 'desc'), isCut: false };
  }
  const { ids, stoppedAt } = await findIds(calendar, db, serviceId, { ...filter, older_than }, page);
  if (ids.length === 0 && stoppedAt !== undefined) throw tooFar(page, stoppedAt);
  return { ids, isCut: stoppedAt !== undefined };
}

async function findIds(
  calendar: Calendar,
  db: Db,
  serviceId: string,
  { older_than, ...filter }: Omit<NotificationFilter, 'job_id'>,
  page: Page,
): Promise<FoundIds> {
  const { created_since: since } = filter;
  const range = {
    first_id: since === undefined ? nilId : firstIdAt(earlier(new Date(since), hour_ms)),
    end_id: older_than ?? lastId,
  };
  // Most lists are not of rare messages, so they need no statistics.
  const isRare = filter.statuses !== undefined || filter.types !== undefined;
  if (!isRare) {
    const first = await findMessages(db, serviceId, filter, range, { ...page, mayReadOn: () => false });
    if (first.stoppedAt === undefined) return first;
  }
  // Read statistics and messages in one snapshot.
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const countNewer = async () => {
      if (older_than === undefined) return 0;
      const newer = { first_id: older_than, end_id: lastId };
      const mayReadOn = (read: number) => read < listLimits.newer;
      const counted = await findMessages(tx, serviceId, filter, newer, { order: 'asc', ...onlyCount, mayReadOn });
      return counted.stoppedAt === undefined ? counted.matching : undefined;
    };
    return findMessages(tx, serviceId, filter, range, {
      ...page,
      known: { calendar, days: await selectMatchingDays(tx, serviceId, filter), countNewer },
      step: Math.max(20_000, listLimits.read / 4),
      mayReadOn: (read) => read < listLimits.read,
    });
  });
}

function tooFar({ skip = 0 }: Page, id: string) {
  const messages = listLimits.read.toLocaleString('en-GB');
  return invalid(
    skip > 0
      ? `This page is more than ${messages} messages back. To list older messages, use older_than=${id} without page`
      : `None of the last ${messages} messages matches. To search older messages, use older_than=${id}`,
  );
}
