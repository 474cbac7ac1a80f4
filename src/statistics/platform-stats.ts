import { loadPriceList } from '../billing/rates.ts';
import type { Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { spansOf, withinRecords } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';
import {
  type Counters,
  type LiveService,
  selectCounters,
  selectDailyProviderVolumes,
  selectDailyVolumes,
  selectDespatchedLetters,
  selectLiveServicesOfYear,
  selectMonthsOfServices,
} from './platform-stats.sql.ts';

/** Counts messages accepted on these days by outcome. */
export async function countNotifications(db: Db, days: Days): Promise<Record<Channel, Counters>> {
  const none = (): Counters => ({
    total: 0,
    requested: 0,
    delivered: 0,
    failed: 0,
    'technical-failure': 0,
    'temporary-failure': 0,
    'permanent-failure': 0,
  });
  const counted = { email: none(), sms: none(), letter: none() };
  for (const { notification_type, ...counters } of await selectCounters(db, days)) {
    counted[notification_type] = counters;
  }
  return counted;
}

export function listDailyVolumes(db: Db, days: Days) {
  return selectDailyVolumes(db, days);
}

export async function listDailyProviderVolumes({ db, country }: Platform, days: Days) {
  const priceList = await loadPriceList(country.calendar, db);
  const rates = priceList
    .periods(withinRecords(days))
    .map(({ first_day, last_day, smsRate }) => ({ first_day, last_day, rate: smsRate ?? '0' }));
  return selectDailyProviderVolumes(db, days, rates);
}

/** Returns despatched letters and their cost as JSON, to compare with the printer's bill. */
export async function listDespatchedLetters({ db, country }: Platform, days: Days): Promise<string> {
  const periods = (await loadPriceList(country.calendar, db)).periods(withinRecords(days));
  return selectDespatchedLetters(
    db,
    periods.map(({ first_day, last_day }, period) => ({ period, first_day, last_day })),
    periods.flatMap(({ letterRates }, period) => letterRates.map((rate) => ({ period, ...rate }))),
  );
}

/** Returns JSON with one line per month, service and type, which the front end exports as a spreadsheet. */
export function listMonthsOfServices(db: Db, query: { start_date: string; end_date: string }): Promise<string> {
  const days = withinRecords({ first_day: query.start_date, last_day: query.end_date });
  return selectMonthsOfServices(db, days, spansOf(days));
}

/** Includes message counts of the current financial year. */
export async function listLiveServices({ db, clock, country: { calendar } }: Platform): Promise<LiveService[]> {
  const year = calendar.financialYear(clock.now());
  const days = withinRecords(calendar.financialYearDays(year));
  const services = await selectLiveServicesOfYear(db, { year, ...days }, spansOf(days));
  return services.map(({ live_date, ...service }) => ({
    ...service,
    live_date: live_date && new Date(live_date).toUTCString(),
  }));
}
