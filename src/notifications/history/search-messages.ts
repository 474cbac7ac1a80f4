import { addDays, type Calendar } from '../../countries/calendar.ts';
import { day_ms, earlier, hour_ms, later } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Cell, csvLine } from '../../platform/http/csv.ts';
import { firstIdAt, isUuid, momentOfId, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { noStatistics, type Statistics, statisticsByService } from '../../services/service-statistics.ts';
import { firstKeptId, retentionDaysOf } from '../../services/settings/data-retention.ts';
import type { Status } from '../notification.ts';
import { normaliseSearch } from './activity.ts';
import { statusLabel } from './activity-export.ts';
import { findMessages } from './find-messages.ts';
import {
  type DayCount,
  type IdRange,
  type MessageFilter,
  type MessageRow,
  type Origin,
  selectJobIdsByFileName,
  selectJobSpan,
  selectMatchingDays,
  selectMessageRows,
  selectTemplateIdsByName,
} from './message-rows.sql.ts';
import { selectIdsOfJob } from './stored-notifications.sql.ts';

export type { MessageRow } from './message-rows.sql.ts';

/** A search among the messages of a service. An undefined field matches all. */
export interface MessageSearch {
  channel?: Channel | undefined;
  statuses?: readonly Status[] | undefined;
  /** Messages of test keys are listed only if requested. */
  origin?: Origin | 'test-key' | undefined;
  /** The id of a file. */
  file?: string | undefined;
  recipient?: string | undefined;
  reference?: string | undefined;
  /** Part of the name of a template, or its id. */
  template?: string | undefined;
  /** Part of a recipient, a reference or the name of a file. */
  words?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Message ids: the page begins after one or ends before one. */
interface PagePosition {
  before?: string | undefined;
  after?: string | undefined;
}

export interface FoundMessages {
  /** Newest first. */
  messages: MessageRow[];
  newer: string | undefined;
  older: string | undefined;
  /** The time at which the search stopped before the page was full. Older messages were not searched yet. */
  searchedTo: Date | undefined;
}

const pageSize = 50;
/** A search stops after this time; the next page continues it. */
const searchFor_ms = 60;

export async function searchMessages(
  app: Platform,
  serviceId: string,
  search: MessageSearch,
  { before, after }: PagePosition = {},
): Promise<FoundMessages> {
  const order = after === undefined ? 'desc' : 'asc';
  const { filter, range, days } = await filterOf(app, serviceId, search);
  const end_id = before !== undefined && before < range.end_id ? before : range.end_id;
  const began = performance.now();
  const { ids, stoppedAt } = await findMessages(
    app.db,
    serviceId,
    filter,
    { ...range, end_id },
    {
      ...{ order, after, size: pageSize + 1 },
      known: days && {
        calendar: app.country.calendar,
        days,
        countNewer: async () => (before === undefined ? 0 : undefined),
      },
      mayReadOn: () => performance.now() - began < searchFor_ms,
    },
  );
  return pageOf(await selectMessageRows(app.db, ids, order), stoppedAt, { before, after });
}

function pageOf(rows: MessageRow[], stoppedAt: string | undefined, { before, after }: PagePosition): FoundMessages {
  const found = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? found.at(-1)?.id : stoppedAt;
  if (after !== undefined) {
    const messages = found.toReversed();
    return { messages, newer: last, older: messages.at(-1)?.id ?? after, searchedTo: undefined };
  }
  return {
    messages: found,
    newer: before === undefined ? undefined : (found[0]?.id ?? before),
    older: last,
    searchedTo: stoppedAt === undefined ? undefined : momentOfId(stoppedAt),
  };
}

/** Streams all matching messages as CSV, newest first. */
export async function exportMessages(
  app: Platform,
  serviceId: string,
  search: MessageSearch,
): Promise<AsyncGenerator<string>> {
  const { filter, range, days } = await filterOf(app, serviceId, search);
  return reportActivity(app, serviceId, filter, range, days);
}

/** Counts messages within retention, from the statistics. Excludes cancelled messages and those of test keys. */
export async function countKeptMessages(
  { db, clock, country: { calendar } }: Platform,
  serviceId: string,
): Promise<Statistics> {
  const days = await retentionDaysOf(db, serviceId);
  const today = calendar.day(clock.now());
  const counts = noStatistics();
  for (const kept of new Set(Object.values(days))) {
    const range = { first_day: addDays(today, -kept), last_day: today };
    const found = await statisticsByService(db, range, { service_id: serviceId, with_test_keys: false });
    for (const channel of Object.keys(counts) as Channel[]) {
      const counted = found.get(serviceId)?.[channel];
      if (days[channel] === kept && counted) counts[channel] = counted;
    }
  }
  return counts;
}

async function filterOf({ db, clock, country: { calendar } }: Platform, serviceId: string, search: MessageSearch) {
  const { channel, statuses, origin, file, recipient, reference, template, words, since, until } = search;
  const now = clock.now();
  const kept = await retentionDaysOf(db, serviceId);
  const kept_from = {
    email: firstKeptId(calendar, now, kept.email),
    sms: firstKeptId(calendar, now, kept.sms),
    letter: firstKeptId(calendar, now, kept.letter),
  };
  const filter: MessageFilter = {
    types: channel && [channel],
    statuses,
    key_types: origin === 'test-key' ? ['test'] : ['normal', 'team'],
    origin: origin === 'test-key' ? undefined : origin,
    job_id: file,
    template_ids: template === undefined ? undefined : await templateIds(db, serviceId, template),
    recipient: recipient === undefined ? undefined : normaliseSearch(recipient),
    client_reference: reference,
    words: words === undefined ? undefined : await wordsOf(db, serviceId, words),
    kept_from,
  };
  // The rare kinds are test keys and filters by channel or status.
  const isRare = channel !== undefined || statuses !== undefined || origin === 'test-key';
  const days = isRare ? await selectMatchingDays(db, serviceId, filter) : undefined;
  const firstIds = [channel ? kept_from[channel] : min(Object.values(kept_from)), ...(since ? [firstIdAt(since)] : [])];
  // Clocks of several processes may differ.
  const end_id = firstIdAt(later(until ?? now, until ? 0 : day_ms));
  const first_id = max(firstIds);
  const range = { first_id, end_id: filter.template_ids?.length === 0 ? first_id : end_id };
  return { filter, range: file === undefined ? range : await withinFile(db, serviceId, file, range), days };
}

/**
 * Narrows the range to the minutes in which the messages of a file were created, so that few others are read. A file of another service has
 * no messages.
 */
async function withinFile(db: Platform['db'], serviceId: string, file: string, range: IdRange): Promise<IdRange> {
  const job = await selectJobSpan(db, serviceId, file);
  if (!job) return { ...range, end_id: range.first_id };
  const first = firstIdAt(earlier(new Date(job.created_at), hour_ms));
  const end = job.processing_finished && firstIdAt(later(new Date(job.processing_finished), hour_ms));
  return { first_id: max([range.first_id, first]), end_id: end ? min([range.end_id, end]) : range.end_id };
}

/** Lists the messages of the first rows of a file, in its order. */
export async function listFirstMessages(db: Db, serviceId: string, job_id: string): Promise<MessageRow[]> {
  const ids = await selectIdsOfJob(db, serviceId, { job_id }, { size: pageSize }, 'asc');
  return selectMessageRows(db, ids, 'asc');
}

async function templateIds(db: Platform['db'], serviceId: string, text: string): Promise<string[]> {
  return isUuid(text) ? [text] : selectTemplateIdsByName(db, serviceId, text);
}

async function wordsOf(db: Platform['db'], serviceId: string, text: string) {
  return {
    recipient: normaliseSearch(text),
    reference: text.trim(),
    job_ids: await selectJobIdsByFileName(db, serviceId, text.trim()),
  };
}

const min = (ids: string[]) => ids.toSorted()[0] ?? nilId;
const max = (ids: string[]) => ids.toSorted().at(-1) ?? nilId;

/** The columns of a report. */
export interface ReportLayout {
  header: readonly string[];
  cells(message: MessageRow, calendar: Calendar): Cell[];
}

const allColumns: ReportLayout = {
  header: [
    'Recipient',
    'Reference',
    'Template',
    'Type',
    'Sent by',
    'Sent by email',
    'Job',
    'Status',
    'Time',
    'API key name',
  ],
  cells: (message, calendar) => [
    recipientInReport(message),
    message.client_reference,
    message.template_name,
    message.notification_type,
    message.created_by_name,
    message.created_by_email_address,
    message.job_name,
    statusLabel(message.notification_type, message.status),
    calendar.time(new Date(message.created_at)),
    message.api_key_name,
  ],
};

/** For a postal address, returns only its first line, which is a name. */
export function recipientInReport({
  notification_type,
  recipient,
}: Pick<MessageRow, 'notification_type' | 'recipient'>) {
  return notification_type === 'letter' ? (recipient.split(/\r?\n/, 1)[0] ?? '') : recipient;
}

const messagesAtOnce = 2_500;
/** A statement reads more messages if few match. */
const readAtOnce = 20_000;

/** Yields messages of a service as CSV, newest first, without holding a connection in between. */
export async function* reportActivity(
  { db, country: { calendar } }: Platform,
  serviceId: string,
  filter: MessageFilter,
  range: IdRange,
  /** Days with matching messages, if known; other days are not read. */
  days?: readonly DayCount[],
  layout = allColumns,
): AsyncGenerator<string> {
  yield csvLine(layout.header);
  for (let before: string | undefined = range.end_id; before !== undefined; ) {
    const known = days && { calendar, days };
    const wanted = { size: messagesAtOnce, known, mayReadOn: (read: number) => read < readAtOnce };
    const { ids, stoppedAt } = await findMessages(db, serviceId, filter, { ...range, end_id: before }, wanted);
    const rows = await selectMessageRows(db, ids);
    // Yield empty parts too: a cancelled download ends at the next part, and all messages may be read before one matches.
    yield rows.map((row) => csvLine(layout.cells(row, calendar))).join('');
    before = stoppedAt ?? (ids.length < messagesAtOnce ? undefined : ids.at(-1));
  }
}
