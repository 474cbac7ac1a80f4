import type { Tx } from '../platform/db/database.ts';

/** What a service needs of billing, which is above it. */
export interface Allowances {
  /** Stores the allowance of a new service. */
  create(tx: Tx, serviceId: string, now: Date): Promise<void>;
  /**
   * Recomputes and overwrites the allowance of the current year: for a service that joins an organisation, and the services of an
   * organisation whose type changes.
   */
  reset(tx: Tx, serviceId: string, now: Date): Promise<void>;
}
