import { loadPriceList } from '../billing/rates.ts';
import type { Days } from '../platform/calendar.ts';
import { times } from '../platform/decimal.ts';
import type { Platform } from '../platform/platform.ts';
import { withinRecords } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';
import { addUp } from '../stores/add-up.ts';
import type { InStores } from '../stores/stores.ts';
import {
  type Counters,
  type DespatchedLetters,
  selectCounters,
  selectDailyProviderVolumes,
  selectDailyVolumes,
  selectDespatchedLetters,
} from './platform-stats.sql.ts';

type InDatabase = Pick<Platform, 'store' | 'db'>;
type Deps = InDatabase & InStores<InDatabase>;

/** Counts messages accepted on these days by outcome. */
export async function countNotifications({ stores }: Deps, days: Days): Promise<Record<Channel, Counters>> {
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
  for (const { notification_type, ...counters } of addUp(await stores.collect(({ db }) => selectCounters(db, days)))) {
    counted[notification_type] = counters;
  }
  return counted;
}

export async function listDailyVolumes({ stores }: Deps, days: Days) {
  const volumes = addUp(await stores.collect(({ db }) => selectDailyVolumes(db, days)));
  return volumes.sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** Prices every chargeable unit: providers grant no free allowance. */
export async function listDailyProviderVolumes({ db, stores }: Deps, days: Days) {
  const volumes = addUp(await stores.collect((store) => selectDailyProviderVolumes(store.db, days)));
  volumes.sort((one, other) => (`${one.day} ${one.provider}` < `${other.day} ${other.provider}` ? -1 : 1));
  const periods = (await loadPriceList(db)).periods(withinRecords(days));
  return volumes.flatMap((volume) => {
    const period = periods.find(({ first_day, last_day }) => first_day <= volume.day && volume.day <= last_day);
    return period ? [{ ...volume, sms_cost: times(volume.sms_chargeable_units, period.smsRate) }] : [];
  });
}

/** Despatched letters and their cost as JSON, to compare with the printer's bill. */
export async function listDespatchedLetters({ db, stores }: Deps, days: Days): Promise<string> {
  const periods = (await loadPriceList(db)).periods(withinRecords(days));
  const lines = await stores.collect(async (store) => [
    await selectDespatchedLetters(
      store.db,
      periods.map(({ first_day, last_day }, period) => ({ period, first_day, last_day })),
      periods.flatMap(({ letterRates }, period) => letterRates.map((rate) => ({ period, ...rate }))),
    ),
  ]);
  return stores.isOne ? (lines[0] ?? '[]') : JSON.stringify(addUpLetters(lines.flatMap((line) => JSON.parse(line))));
}

function addUpLetters(lines: DespatchedLetters[]): DespatchedLetters[] {
  const sums = new Map<string, DespatchedLetters>();
  for (const line of lines) {
    const { date, postage, cost_threshold, rate, sheets } = line;
    const key = JSON.stringify([date, postage, cost_threshold, rate, sheets]);
    const letters = (sums.get(key)?.letters ?? 0) + line.letters;
    sums.set(key, { ...line, letters, cost: times(letters, String(rate)) });
  }
  const order = ({ date, postage, cost_threshold }: DespatchedLetters) => `${date} ${postage} ${cost_threshold}`;
  return [...sums.values()].sort((one, other) => {
    if (order(one) !== order(other)) return order(one) < order(other) ? -1 : 1;
    return one.rate - other.rate || one.sheets - other.sheets;
  });
}
