import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { openFinancialYear } from './allowance.ts';

export function allowanceJob(app: Platform): Job {
  return {
    name: 'open-financial-year',
    description: 'Creates the free SMS allowance of the new financial year for every active service.',
    async handle() {
      const opened = await inTransaction(app.db, (tx) => openFinancialYear(tx, app.clock.now()));
      app.log.info({ services: opened }, 'created the allowances of the financial year');
    },
  };
}
