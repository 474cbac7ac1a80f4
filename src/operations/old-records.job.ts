import { forgetComplaints } from '../complaints/complaints.ts';
import type { Config } from '../config.ts';
import { forgetReturnedReferences } from '../letters/returned/returned-letters.ts';
import { day_ms, earlier } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { forgetOldUserRecords } from '../users/old-records.ts';

export function oldRecordsJob({ db, clock, config }: Platform & { config: Pick<Config, 'RECORDS_KEPT_DAYS'> }): Job {
  return {
    name: 'forget-old-records',
    description: 'Deletes events, complaints, and the personal part of other records that no retention rule is about.',
    async handle() {
      const before = earlier(clock.now(), config.RECORDS_KEPT_DAYS * day_ms);
      await forgetOldUserRecords(db, before);
      await forgetReturnedReferences(db, before);
      await forgetComplaints(db, before);
    },
  };
}
