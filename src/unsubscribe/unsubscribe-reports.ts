import { day_ms, later, type Timestamp, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import { momentOfId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { refuseUnlessServiceExists } from '../services/services.ts';
import {
  deleteUnsubscribeRequests,
  insertUnsubscribeReport,
  selectRequestsOfReport,
  selectUnreported,
  selectUnsubscribeCount,
  selectUnsubscribeReport,
  selectUnsubscribeReports,
  type UnsubscribeReport,
  updateProcessed,
} from './unsubscribe-reports.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

const recentDays = 7;

/** How long requests are kept, and how long once the service has dealt with them. */
const keptForDays = 90;
const processedKeptForDays = 7;

export async function countUnsubscribes({ db, clock }: Needs, serviceId: string) {
  await refuseUnlessServiceExists(db, serviceId);
  const { recent, latest } = await selectUnsubscribeCount(db, serviceId, daysAfter(clock.now(), -recentDays));
  return { unsubscribe_requests_count: recent, datetime_of_latest_unsubscribe_request: latest };
}

/** Requests that are in no report yet come first, as if they were one. */
export async function listUnsubscribeReports({ db }: Needs, serviceId: string) {
  await refuseUnlessServiceExists(db, serviceId);
  const unreported = await selectUnreported(db, serviceId);
  const reports = await selectUnsubscribeReports(db, serviceId);
  return [...(unreported ? [unreported] : []), ...reports].map((report) => summary(serviceId, report));
}

function summary(service_id: string, { id, ...report }: UnsubscribeReport) {
  const { processed_by_service_at, latest_timestamp } = report;
  return {
    batch_id: id,
    service_id,
    ...report,
    is_a_batched_report: id !== null,
    will_be_archived_at: processed_by_service_at
      ? daysAfter(new Date(processed_by_service_at), processedKeptForDays)
      : daysAfter(new Date(latest_timestamp), keptForDays),
  };
}

export async function getUnsubscribeReport({ db }: Needs, serviceId: string, id: string) {
  const report = await selectUnsubscribeReport(db, serviceId, id);
  if (!report) throw notFound();
  const requests = await selectRequestsOfReport(db, id);
  return {
    batch_id: id,
    earliest_timestamp: report.earliest_timestamp,
    latest_timestamp: report.latest_timestamp,
    unsubscribe_requests: requests.map(({ email_address, name, notification_id, created_at }) => ({
      email_address,
      template_name: name,
      original_file_name: null,
      template_sent_at: timestamp(momentOfId(notification_id)),
      unsubscribe_request_received_at: created_at,
    })),
  };
}

export async function createUnsubscribeReport(
  { db, clock }: Needs,
  service_id: string,
  between: { from: Timestamp | undefined; to: Timestamp | undefined },
): Promise<{ report_id: string }> {
  await refuseUnlessServiceExists(db, service_id);
  const now = clock.now();
  const report = { id: newId(now), service_id, created_at: timestamp(now) };
  const created = await insertUnsubscribeReport(db, report, between);
  if (!created) throw invalid('There are no unsubscribe requests to report');
  return { report_id: created.id };
}

export async function processUnsubscribeReport(
  { db, clock }: Needs,
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

export async function forgetUnsubscribeRequests({ db, clock }: Needs): Promise<void> {
  await deleteUnsubscribeRequests(db, {
    received: daysAfter(clock.now(), -keptForDays),
    processed: daysAfter(clock.now(), -processedKeptForDays),
  });
}
