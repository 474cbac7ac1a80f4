import { deleteOldComplaints } from '../complaints/complaints.ts';
import type { Config } from '../config.ts';
import { clearReturnedReferences } from '../letters/returned/returned-letters.ts';
import { day_ms, earlier } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { forgetOldUserRecords } from '../users/old-records.ts';

export function oldRecordsJob({ db, clock, config }: Platform & { config: Pick<Config, 'RECORDS_KEPT_DAYS'> }): Job {
  return {
    name: 'forget-old-records',
    description: 'Deletes old events and complaints, and the personal data of records without a retention rule.',
    async handle() {
      const before = earlier(clock.now(), config.RECORDS_KEPT_DAYS * day_ms);
      await forgetOldUserRecords(db, before);
      await clearReturnedReferences(db, before);
      await deleteOldComplaints(db, before);
    },
  };
}
