import { deleteOldComplaints } from '../complaints/complaints.ts';
import type { Config } from '../config.ts';
import { clearReturnedReferences } from '../letters/returned/returned-letters.ts';
import { day_ms, earlier } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldUserRecords } from '../users/old-records.ts';

type Deps = Pick<Platform, 'db' | 'clock'> & { config: Pick<Config, 'RECORDS_KEPT_DAYS'> };

export async function deleteOldRecords({ db, clock, config }: Deps): Promise<void> {
  const before = earlier(clock.now(), config.RECORDS_KEPT_DAYS * day_ms);
  await deleteOldUserRecords(db, before);
  await clearReturnedReferences(db, before);
  await deleteOldComplaints(db, before);
}
