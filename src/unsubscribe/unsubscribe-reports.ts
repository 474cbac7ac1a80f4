import { addDays, type Calendar } from '../countries/calendar.ts';
import { day_ms, earlier, later, type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalid, notFound } from '../platform/failure.ts';
import { momentOfId, newId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countRequestsOfReport,
  deleteRequestsOf,
  deleteUnsubscribeRequests,
  insertUnsubscribeReport,
  selectRequestsOf,
  selectRequestsOfReport,
  selectUnreported,
  selectUnsubscribeCount,
  selectUnsubscribeReport,
  selectUnsubscribeReports,
  type UnsubscribeReport,
  updateProcessed,
} from './unsubscribe-reports.sql.ts';

const recentDays = 7;

/** Retention of a report, and of a request that is not in a report. */
const reportKept_ms = 7 * day_ms;
const keptForDays = 90;

export async function countUnsubscribes({ db, clock }: Platform, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  const found = await selectUnsubscribeCount(db, serviceId, daysAfter(clock.now(), -recentDays));
  if (!found) return {};
  return { unsubscribe_requests_count: found.unhandled, datetime_of_latest_unsubscribe_request: found.latest };
}

/** Lists requests that are not in a report yet first, in the shape of a report. */
export async function listUnsubscribeReports({ db, country }: Platform, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  const unreported = await selectUnreported(db, serviceId);
  const reports = await selectUnsubscribeReports(db, serviceId);
  return [...(unreported ? [unreported] : []), ...reports].map((report) =>
    summary(country.calendar, serviceId, report),
  );
}

function summary(calendar: Calendar, service_id: string, { id, ...report }: UnsubscribeReport) {
  const { created_at, latest_timestamp } = report;
  return {
    batch_id: id,
    service_id,
    ...report,
    is_a_batched_report: id !== null,
    will_be_archived_at:
      created_at === null
        ? daysAfter(new Date(latest_timestamp), keptForDays)
        : timestamp(archivedAt(calendar, new Date(created_at))),
  };
}

/** Returns the last midnight before the report is seven days old, whether processed or not. */
function archivedAt(calendar: Calendar, createdAt: Date): Date {
  return calendar.start(calendar.day(later(createdAt, reportKept_ms)));
}

/** Returns the time before which reports are archived at `now`. */
function archivedIfCreatedBefore(calendar: Calendar, now: Date): Date {
  return earlier(calendar.start(addDays(calendar.day(now), 1)), reportKept_ms);
}

export async function getUnsubscribeReport(app: Platform, serviceId: string, id: string) {
  const { earliest_timestamp, latest_timestamp } = await findReport(app, serviceId, id);
  const requests = await selectRequestsOfReport(app.db, id);
  return {
    batch_id: id,
    earliest_timestamp,
    latest_timestamp,
    unsubscribe_requests: requests.map(recordIn(app.country.calendar)),
  };
}

async function findReport({ db }: Platform, serviceId: string, id: string) {
  const report = await selectUnsubscribeReport(db, serviceId, id);
  if (!report) throw notFound();
  return report;
}

/** Counts the addresses in a report without reading them. */
export async function summariseUnsubscribeReport(app: Platform, serviceId: string, id: string) {
  const report = await findReport(app, serviceId, id);
  return { ...report, addresses: await countRequestsOfReport(app.db, id) };
}

const requestsAtOnce = 2_000;

/** Reads in batches, so that a download of any length begins immediately and uses the memory of one batch. */
export async function readUnsubscribeReport(app: Platform, serviceId: string, id: string) {
  const { latest_timestamp } = await findReport(app, serviceId, id);
  async function* parts() {
    for (let before: string | undefined; ; ) {
      const requests = await selectRequestsOfReport(app.db, id, { before, limit: requestsAtOnce });
      if (requests.length > 0) yield requests.map(recordIn(app.country.calendar));
      if (requests.length < requestsAtOnce) return;
      before = requests.at(-1)?.id;
    }
  }
  return { latest_timestamp, parts: parts() };
}

type StoredRequest = Awaited<ReturnType<typeof selectRequestsOfReport>>[number];

function recordIn(calendar: Calendar) {
  return ({ email_address, name, original_file_name, notification_id, created_at }: StoredRequest) => ({
    email_address,
    template_name: name,
    original_file_name,
    template_sent_at: calendar.time(momentOfId(notification_id)),
    unsubscribe_request_received_at: calendar.time(new Date(created_at)),
  });
}

export async function createUnsubscribeReport(
  { db, clock }: Platform,
  service_id: string,
  between: { from: Timestamp | undefined; to: Timestamp | undefined },
): Promise<{ report_id: string }> {
  await refuseUnlessExists(db, 'services', service_id);
  const now = clock.now();
  const report = { id: newId(now), service_id, created_at: timestamp(now) };
  const created = await insertUnsubscribeReport(db, report, between);
  if (!created) throw invalid('There are no unsubscribe requests to report');
  return { report_id: created.id };
}

export async function processUnsubscribeReport(
  { db, clock }: Platform,
  serviceId: string,
  id: string,
  isProcessed: boolean,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await selectUnsubscribeReport(tx, serviceId, id))) throw notFound();
    await updateProcessed(tx, id, isProcessed ? timestamp(clock.now()) : null);
  });
}

function daysAfter(moment: Date, days: number): Timestamp {
  return timestamp(later(moment, days * day_ms));
}

const partSize = 5_000;

/** Keeps requests that the service has not processed yet, because it must still act on them. */
export async function eraseUnsubscribeRequests(db: Db, of: { emailAddress: string; serviceId: string | undefined }) {
  const counts = { erased: 0, left: 0 };
  for (let after: string | null = nilId; after !== null; ) {
    const part = await deleteRequestsOf(db, of, after, partSize);
    counts.erased += part.erased;
    counts.left += part.left;
    after = part.last;
  }
  return counts;
}

export function findUnsubscribeRequestsOf(db: Db, of: { emailAddress: string; serviceId: string | undefined }) {
  return selectRequestsOf(db, of);
}

export async function deleteOldUnsubscribeRequests({ db, clock, country }: Platform): Promise<void> {
  await deleteUnsubscribeRequests(db, {
    reported: timestamp(archivedIfCreatedBefore(country.calendar, clock.now())),
    received: daysAfter(clock.now(), -keptForDays),
  });
}
