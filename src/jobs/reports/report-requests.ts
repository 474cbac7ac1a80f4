import { reportActivity } from '../../notifications/history/search-messages.ts';
import { statusesOfGroup, statusGroups } from '../../notifications/notification.ts';
import { day_ms, earlier, later, minute_ms, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists, selectUnknownIds } from '../../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import type { Channel } from '../../protocol/channels.ts';
import { defaultRetentionDays, findRetention, firstKeptId } from '../../services/settings/data-retention.ts';
import {
  deleteReportRequests,
  insertReportRequest,
  lockReportRequestsOf,
  markStored,
  type ReportRequestRow,
  selectReportRequest,
  selectSameRequest,
} from './report-requests.sql.ts';

export const reportStatuses = ['all', ...statusGroups] as const;

interface ReportRequest {
  user_id: string;
  notification_type: Channel;
  notification_status: (typeof reportStatuses)[number];
}

export const prepareReport: Task<{ report_request_id: string }> = {
  name: 'prepare-report',
  description: 'Makes a requested report available for download.',
  maxAttempts: 25,
};

const sameFor_ms = 30 * minute_ms;

/** Returns the existing request if the same report is still being prepared. */
export async function requestReport(
  app: Platform,
  serviceId: string,
  request: ReportRequest,
): Promise<{ row: ReportRequestRow; created: boolean }> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const [unknown] = await selectUnknownIds(app.db, [{ field: 'user_id', table: 'users', id: request.user_id }]);
  if (unknown) throw invalidField(unknown, 'No result found');
  const now = app.clock.now();
  const report = { ...request, service_id: serviceId };
  return inTransaction(app.db, async (tx) => {
    await lockReportRequestsOf(tx, request.user_id);
    const same = await selectSameRequest(tx, report, timestamp(earlier(now, sameFor_ms)));
    if (same) return { row: same, created: false };
    const id = newId(now);
    const row = await insertReportRequest(tx, { ...report, id, status: 'pending', created_at: timestamp(now) });
    await app.queue.add(tx, prepareReport, { report_request_id: id });
    return { row, created: true };
  });
}

/**
 * A report is not stored as a file: it is made of the messages while it is downloaded. So it shows no recipient that was
 * erased or is past its retention, and nothing can be lost.
 */
export async function runPrepareReport(
  app: Platform,
  { report_request_id }: { report_request_id: string },
): Promise<void> {
  await markStored(app.db, report_request_id, timestamp(app.clock.now()));
}

export async function getReportRequest(db: Db, serviceId: string, id: string): Promise<ReportRequestRow> {
  const row = await selectReportRequest(db, serviceId, id, 'person');
  if (!row) throw notFound();
  return row;
}

/** Downloads the messages that were accepted before the report was requested. */
export async function downloadReport(app: Platform, serviceId: string, id: string) {
  const { status, notification_type, notification_status, created_at } = await getReportRequest(app.db, serviceId, id);
  if (status !== 'stored') throw invalid('The report is not ready');
  const rule = await findRetention(app.db, serviceId, { notification_type });
  const requested = new Date(created_at);
  const range = {
    first_id: firstKeptId(app.country.calendar, app.clock.now(), rule?.days_of_retention ?? defaultRetentionDays),
    end_id: firstIdAt(later(requested, 1)),
  };
  const filter = {
    types: [notification_type],
    statuses: notification_status === 'all' ? undefined : statusesOfGroup[notification_status],
    key_types: ['normal', 'team'] as const,
  };
  return {
    name: `${notification_type} ${notification_status} - ${app.country.calendar.day(requested)}.csv`,
    parts: reportActivity(app, serviceId, filter, range),
  };
}

export const keptFor_ms = day_ms;

export async function deleteOldReportRequests({ db, clock }: Platform): Promise<void> {
  await deleteReportRequests(db, timestamp(earlier(clock.now(), keptFor_ms)));
}
