import { financialYear, financialYearDays } from '../platform/calendar.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import { type LiveService, selectLiveServicesSince, selectMonthsOfServices } from './service-lists.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

/** One line per month, service and type, as the front end writes it into a spreadsheet: as JSON. */
export function listMonthsOfServices({ db }: Needs, asked: { start_date: string; end_date: string }): Promise<string> {
  const days = withinRecords({ first_day: asked.start_date, last_day: asked.end_date });
  return selectMonthsOfServices(db, days, spansOf(days));
}

/** With what they sent in the current financial year. */
export async function listLiveServices({ db, clock }: Needs): Promise<LiveService[]> {
  const year = financialYear(clock.now());
  const services = await selectLiveServicesSince(db, financialYearDays(year).first_day, year);
  return services.map(({ live_date, ...service }) => ({
    ...service,
    live_date: live_date && new Date(live_date).toUTCString(),
  }));
}
