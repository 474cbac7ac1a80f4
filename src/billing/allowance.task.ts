import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { InStores } from '../stores/stores.ts';
import { openFinancialYear } from './allowance.ts';

type InDatabase = Pick<Platform, 'store' | 'db' | 'clock' | 'log'>;

export async function createAllowances(app: InDatabase & InStores<InDatabase>): Promise<void> {
  const services = await inTransaction(app.db, (tx) => openFinancialYear({ ...app, db: tx }, app.clock.now()));
  app.log.info({ event: 'allowances.created', services }, 'Created the allowances of the financial year');
}
