import { financialYear, financialYearDays } from '../platform/calendar.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import { type LiveService, selectLiveServicesSince, selectMonthsOfServices } from './service-lists.sql.ts';

/** Returns JSON with one line per month, service and type, which the front end exports as a spreadsheet. */
export function listMonthsOfServices(
  { db }: Platform,
  query: { start_date: string; end_date: string },
): Promise<string> {
  const days = withinRecords({ first_day: query.start_date, last_day: query.end_date });
  return selectMonthsOfServices(db, days, spansOf(days));
}

/** Includes message counts of the current financial year. */
export async function listLiveServices({ db, clock }: Platform): Promise<LiveService[]> {
  const year = financialYear(clock.now());
  const services = await selectLiveServicesSince(db, financialYearDays(year).first_day, year);
  return services.map(({ live_date, ...service }) => ({
    ...service,
    live_date: live_date && new Date(live_date).toUTCString(),
  }));
}
