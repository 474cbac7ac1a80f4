import { addDays, type Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';
import { selectCountsByDay, selectCountsByMonth, selectCountsByService } from './service-statistics.sql.ts';

interface Counts {
  requested: number;
  delivered: number;
  failed: number;
}
export type Statistics = Record<Channel, Counts>;
type StatisticsOfMonth = Record<Channel, Counts & { sending: number }>;

export function noStatistics(): Statistics {
  const none = () => ({ requested: 0, delivered: 0, failed: 0 });
  return { email: none(), sms: none(), letter: none() };
}

/** Returns counts by service id. Services without messages are omitted. */
export async function statisticsByService(
  db: Db,
  days: Days,
  which: { service_id?: string; with_test_keys: boolean },
): Promise<Map<string, Statistics>> {
  const found = new Map<string, Statistics>();
  const range = withinRecords(days);
  const counted = await selectCountsByService(db, range, spansOf(range), which);
  for (const { service_id, notification_type, ...counts } of counted) {
    const statistics = found.get(service_id) ?? noStatistics();
    statistics[notification_type] = counts;
    found.set(service_id, statistics);
  }
  return found;
}

/** Counts today and the days before it, in local time; excludes messages of test keys. */
export async function getRecentStatistics(
  { db, clock, country: { calendar } }: Platform,
  serviceId: string,
  days: { today_only: boolean; limit_days?: number },
): Promise<Statistics> {
  const today = calendar.day(clock.now());
  // Limit to a century, so that the result is a valid date.
  const back = days.today_only ? 0 : Math.min(days.limit_days ?? 7, 36_500);
  const range = { first_day: addDays(today, -back), last_day: today };
  const found = await statisticsByService(db, range, { service_id: serviceId, with_test_keys: false });
  const [statistics = noStatistics()] = found.values();
  return statistics;
}

/** Returns counts for each of the last days, today last; excludes messages of test keys. */
export async function listDailyStatistics(
  { db, clock, country: { calendar } }: Platform,
  serviceId: string,
  days: number,
): Promise<{ day: string; counts: Statistics }[]> {
  const today = calendar.day(clock.now());
  const first_day = addDays(today, 1 - days);
  const found = await selectCountsByDay(db, serviceId, { first_day, last_day: today });
  return Array.from({ length: days }, (_, index) => {
    const day = addDays(first_day, index);
    const counts = noStatistics();
    for (const { day: of, notification_type, requested, delivered, failed } of found) {
      if (of === day) counts[notification_type] = { requested: requested ?? 0, delivered, failed };
    }
    return { day, counts };
  });
}

/** Returns every month of the financial year that has started. The key of a month is the calendar month in which it starts: `YYYY-MM`. */
export async function getMonthlyStatistics(
  { db, clock, country: { calendar } }: Platform,
  serviceId: string,
  yearText: string | undefined,
): Promise<Record<string, StatisticsOfMonth>> {
  await refuseUnlessExists(db, 'services', serviceId);
  if (!/^\d{4}$/.test(yearText ?? '')) throw invalid('Year must be a number');
  const today = calendar.day(clock.now());
  const months = calendar
    .financialYearMonths(Number(yearText))
    .filter(({ first_day }) => first_day <= today)
    .map((days) => ({ month: days.first_day.slice(0, 7), ...days }));
  const statistics = Object.fromEntries(months.map(({ month }) => [month, noStatisticsOfMonth()]));
  for (const { month, notification_type, ...counts } of await countByMonth(db, serviceId, months)) {
    const ofMonth = statistics[month];
    const sending = counts.requested - counts.delivered - counts.failed;
    if (ofMonth) ofMonth[notification_type] = { ...counts, sending };
  }
  return statistics;
}

function noStatisticsOfMonth(): StatisticsOfMonth {
  const none = () => ({ requested: 0, delivered: 0, failed: 0, sending: 0 });
  return { email: none(), sms: none(), letter: none() };
}

function countByMonth(db: Db, serviceId: string, months: (Days & { month: string })[]) {
  const recorded = months
    .map(({ month, ...days }) => ({ month, ...withinRecords(days) }))
    .filter(({ first_day, last_day }) => first_day <= last_day);
  const spans = recorded.flatMap(({ month, ...days }) => spansOf(days).map((span) => ({ month, ...span })));
  return selectCountsByMonth(db, serviceId, recorded, spans);
}
