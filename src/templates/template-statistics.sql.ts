import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** Read from the daily figures, never from the messages themselves. Test keys count nowhere. */

export function selectStatusCounts(db: Db, serviceId: string, sinceLondonDay: string) {
  return db
    .selectFrom('daily_status_counts as counts')
    .innerJoin('templates', 'templates.id', 'counts.template_id')
    .where('counts.service_id', '=', serviceId)
    .where('counts.london_day', '>=', sinceLondonDay)
    .where('counts.key_type', '<>', 'test')
    .groupBy(['templates.id', 'counts.status'])
    .having((row) => row.fn.sum('counts.count'), '>', 0)
    .select((row) => [
      sql<number>`sum(${row.ref('counts.count')})::bigint`.as('count'),
      'counts.status',
      'templates.id as template_id',
      'templates.name as template_name',
      'templates.template_type',
      'templates.hidden',
    ])
    .orderBy('templates.name')
    .orderBy('templates.id')
    .orderBy('counts.status')
    .execute();
}

export async function selectLastUsedDay(db: Db, serviceId: string, templateId: string): Promise<string | null> {
  const { day } = await db
    .selectFrom('daily_status_counts')
    .where('service_id', '=', serviceId)
    .where('template_id', '=', templateId)
    .where('key_type', '<>', 'test')
    .where('count', '>', 0)
    .select((row) => row.fn.max<string | null>('london_day').as('day'))
    .executeTakeFirstOrThrow();
  return day;
}

/** Cancelled letters were not sent. */
export function selectMonthlyUsage(db: Db, serviceId: string, days: { first: string; last: string }) {
  return db
    .selectFrom('daily_status_counts as counts')
    .innerJoin('templates', 'templates.id', 'counts.template_id')
    .where('counts.service_id', '=', serviceId)
    .where('counts.london_day', '>=', days.first)
    .where('counts.london_day', '<=', days.last)
    .where('counts.key_type', '<>', 'test')
    .where('counts.status', '<>', 'cancelled')
    .select((row) => [
      sql<number>`sum(${row.ref('counts.count')})::bigint`.as('count'),
      sql<number>`extract(year from ${row.ref('counts.london_day')})::int`.as('year'),
      sql<number>`extract(month from ${row.ref('counts.london_day')})::int`.as('month'),
      'templates.id as template_id',
      'templates.name',
      'templates.template_type',
      'templates.hidden',
    ])
    .groupBy(['templates.id', 'year', 'month'])
    .having((row) => row.fn.sum('counts.count'), '>', 0)
    .orderBy('year')
    .orderBy('month')
    .orderBy('templates.name')
    .orderBy('templates.id')
    .execute();
}
