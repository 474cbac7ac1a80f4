import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { openFinancialYear } from './allowance.ts';

export async function createAllowances(app: Platform): Promise<void> {
  const services = await inTransaction(app.db, (tx) => openFinancialYear(tx, app.clock.now()));
  app.log.info({ event: 'allowances.created', services }, 'Created the allowances of the financial year');
}
