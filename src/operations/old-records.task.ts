import { deleteOldComplaints } from '../complaints/complaints.ts';
import { deleteOldReportRequests } from '../jobs/reports/report-requests.ts';
import { clearReturnedReferences } from '../letters/returned/returned-letters.ts';
import { earlier } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldUserRecords } from '../users/old-records.ts';
import { deleteOldAuditEntries } from './audit/audit-log.ts';
import type { RetentionSettings } from './settings.ts';

type Deps = Pick<Platform, 'db' | 'clock'> & { config: { storage: RetentionSettings } };

export async function deleteOldRecords({ db, clock, config }: Deps): Promise<void> {
  const before = earlier(clock.now(), config.storage.recordRetention_ms);
  await deleteOldAuditEntries({ db, clock, config });
  await deleteOldUserRecords(db, before);
  await clearReturnedReferences(db, before);
  await deleteOldComplaints(db, before);
  await deleteOldReportRequests({ db, clock });
}
