import { deleteOldComplaints } from '../complaints/complaints.ts';
import { deleteOldReplies } from '../inbound/opt-outs/opt-outs.ts';
import { deleteOldReportRequests } from '../jobs/reports/report-requests.ts';
import { clearReturnedReferences } from '../letters/returned/returned-letters.ts';
import { deleteEmailOutcomesBefore } from '../notifications/guard/email-outcomes.shared.sql.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldDomainMail, type ReadinessDeps } from '../sending-domains/readiness/readiness.ts';
import { deleteChangesBefore } from '../sending-domains/sending-domains.ts';
import { deleteOldUserRecords } from '../users/users.ts';
import { deleteOldAuditEntries } from './audit/audit-log.ts';
import type { RetentionSettings } from './settings.ts';

/** The longest window of the guard is a week, and readiness covers a month. */
const outcomesKept_ms = 40 * day_ms;

type Deps = Platform & ReadinessDeps & { config: { storage: RetentionSettings } };

export async function deleteOldRecords(app: Deps): Promise<void> {
  const { db, clock, config } = app;
  const before = earlier(clock.now(), config.storage.recordRetention_ms);
  await deleteOldAuditEntries(app);
  await deleteOldUserRecords(db, before);
  await clearReturnedReferences(db, before);
  await deleteOldComplaints(db, before);
  await deleteEmailOutcomesBefore(db, timestamp(earlier(clock.now(), outcomesKept_ms)));
  await deleteOldReplies(db, clock.now());
  await deleteOldReportRequests(app);
  await deleteChangesBefore(db, timestamp(before));
  await deleteOldDomainMail(app);
}
