import type { Tx } from '../platform/db/database.ts';

/** What a service needs of billing, which is above it. */
export interface Allowances {
  /**
   * Recomputes and overwrites the allowance of the current year: for a new service, a service that joins an organisation,
   * and the services of an organisation whose type changes.
   */
  reset(tx: Tx, serviceId: string, now: Date): Promise<void>;
}
