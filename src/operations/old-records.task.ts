import { deleteOldComplaints } from '../complaints/complaints.ts';
import { deleteOldReportRequests } from '../jobs/reports/report-requests.ts';
import { clearReturnedReferences } from '../letters/returned/returned-letters.ts';
import { earlier } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldUserRecords } from '../users/users.ts';
import { deleteOldAuditEntries } from './audit/audit-log.ts';
import type { RetentionSettings } from './settings.ts';

type Deps = Platform & { config: { storage: RetentionSettings } };

export async function deleteOldRecords(app: Deps): Promise<void> {
  const { db, clock, config } = app;
  const before = earlier(clock.now(), config.storage.recordRetention_ms);
  await deleteOldAuditEntries(app);
  await deleteOldUserRecords(db, before);
  await clearReturnedReferences(db, before);
  await deleteOldComplaints(db, before);
  await deleteOldReportRequests(app);
}
