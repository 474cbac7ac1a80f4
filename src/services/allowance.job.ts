import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { openFinancialYear } from './allowance.ts';

export function allowanceJob(app: Platform): Job {
  return {
    name: 'open-financial-year',
    description: 'Gives every active service its free text messages of the new financial year.',
    async handle() {
      const opened = await inTransaction(app.db, (tx) => openFinancialYear(tx, app.clock.now()));
      app.log.info({ services: opened }, 'allowances of the financial year are in place');
    },
  };
}
