import { loadPriceList } from '../billing/rates.ts';
import type { Days } from '../platform/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { withinRecords } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';
import {
  type Counters,
  selectCounters,
  selectDailyProviderVolumes,
  selectDailyVolumes,
  selectDespatchedLetters,
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

export const listDailyVolumes = selectDailyVolumes;

export async function listDailyProviderVolumes(db: Db, days: Days) {
  const priceList = await loadPriceList(db);
  const rates = priceList
    .periods(withinRecords(days))
    .map(({ first_day, last_day, smsRate }) => ({ first_day, last_day, rate: smsRate }));
  return selectDailyProviderVolumes(db, days, rates);
}

/** Despatched letters and their cost as JSON, to compare with the printer's bill. */
export async function listDespatchedLetters(db: Db, days: Days): Promise<string> {
  const periods = (await loadPriceList(db)).periods(withinRecords(days));
  return selectDespatchedLetters(
    db,
    periods.map(({ first_day, last_day }, period) => ({ period, first_day, last_day })),
    periods.flatMap(({ letterRates }, period) => letterRates.map((rate) => ({ period, ...rate }))),
  );
}
