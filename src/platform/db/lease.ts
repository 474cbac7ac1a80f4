import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../clock.ts';

/**
 * Leases are measured by the clock of the database, the only one that all workers share: a worker whose clock is wrong must not see the
 * leases of others as expired.
 */
export function leaseEnd(lease_ms: number): RawBuilder<Timestamp> {
  return sql`now() + ${lease_ms} * interval '1 ms'`;
}

/** Also true of a row that was never leased. */
export function leaseHasEnded(column: string): RawBuilder<boolean> {
  return sql`coalesce(${sql.ref(column)} <= now(), true)`;
}
