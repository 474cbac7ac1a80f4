import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

export type Channel = 'email' | 'sms' | 'letter';

/**
 * A cancelled message was never asked for; one that is not yet delivered or failed is only requested. Counts of one day are
 * small, and sums of integers cost a third of sums of bigint.
 */
const count = sql`sum(count::integer)`;
const requested = sql<number>`coalesce(${count} filter (where status <> 'cancelled'), 0)`;
const delivered = sql<number>`coalesce(${count} filter (where status in ('sent', 'delivered')), 0)`;
const failed = sql<number>`coalesce(${count} filter (where status in ('failed', 'technical-failure', 'temporary-failure',
  'permanent-failure', 'validation-failed', 'virus-scan-failed')), 0)`;

const counters = [requested.as('requested'), delivered.as('delivered'), failed.as('failed')] as const;

export interface Days {
  first: string;
  last: string;
}

/** What each service sent on the London days, both included. */
export function selectCountsByService(db: Db, days: Days, which: { service_id?: string; with_test_keys: boolean }) {
  return db
    .selectFrom('daily_status_counts')
    .select(['service_id', 'notification_type', ...counters])
    .where('london_day', '>=', days.first)
    .where('london_day', '<=', days.last)
    .where('count', '>', 0)
    .$if(which.service_id !== undefined, (query) => query.where('service_id', '=', which.service_id ?? ''))
    .$if(!which.with_test_keys, (query) => query.where('key_type', '<>', 'test'))
    .groupBy(['service_id', 'notification_type'])
    .execute();
}

/** Never test keys. Months as `YYYY-MM`. */
export function selectCountsByMonth(db: Db, serviceId: string, days: Days) {
  const month = sql<string>`to_char(london_day, 'YYYY-MM')`;
  return db
    .selectFrom('daily_status_counts')
    .select([month.as('month'), 'notification_type', ...counters])
    .where('service_id', '=', serviceId)
    .where('london_day', '>=', days.first)
    .where('london_day', '<=', days.last)
    .where('key_type', '<>', 'test')
    .groupBy([month, 'notification_type'])
    .execute();
}
