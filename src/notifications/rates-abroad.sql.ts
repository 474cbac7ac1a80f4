import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';

export interface RateAbroad {
  /** A country calling code, or one with a region: `49`, `1:JM`. */
  prefix: string;
  valid_from: Timestamp;
  /** Null if there is no price from then on. */
  multiplier: number | null;
  receipts: boolean;
  numeric_sender: boolean;
}

/** Every rate, by prefix and then oldest first. Collation "C" gives the same order everywhere. */
export function selectRatesAbroad(db: Db): Promise<RateAbroad[]> {
  return db
    .selectFrom('rates_abroad')
    .select(['prefix', 'valid_from', 'multiplier', 'receipts', 'numeric_sender'])
    .orderBy('prefix', (order) => order.collate('C'))
    .orderBy('valid_from')
    .execute();
}
