import { type App, forTasks } from './app.ts';
import { deliveryJobs } from './delivery/delivery.job.ts';
import { emailReceiptJob } from './delivery/receipts/email-receipts.job.ts';
import { returnedLettersJob } from './delivery/receipts/returned-letters.job.ts';
import { letterJobs } from './letters/letters.job.ts';
import { rollupJobs } from './notifications/rollups/rollups.job.ts';
import { upkeepJobs } from './notifications/upkeep.job.ts';
import { oldRecordsJob } from './operations/old-records.job.ts';
import type { Job } from './platform/queue/worker.ts';
import { allowanceJob } from './services/allowance.job.ts';
import { processingTimeJob } from './statistics/performance-dashboard.job.ts';
import { userJobs } from './users/users.job.ts';

/** Every background job. A job is only a trigger: the database row that it names is the source of truth. */
export function jobs(app: App): Job[] {
  const apart = forTasks(app);
  return [
    ...userJobs(apart),
    allowanceJob(apart),
    ...rollupJobs(apart),
    ...upkeepJobs(apart),
    ...letterJobs(app),
    ...deliveryJobs(apart),
    emailReceiptJob(app),
    returnedLettersJob(app),
    processingTimeJob(apart),
    oldRecordsJob(apart),
  ];
}
