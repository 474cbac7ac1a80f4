import type { CountryProfile } from '../countries/profile.ts';
import type { RateAbroad } from '../notifications/rates-abroad.ts';
import { timestamp } from '../platform/clock.ts';
import type { Seed } from '../platform/db/seed.ts';
import { insertMissingLetterRates, insertMissingSmsRates } from './rates.sql.ts';
import { insertMissingRatesAbroad } from './rates-abroad.sql.ts';

/** Returns the international rates of a profile as rows. */
export function seededRatesAbroad({ abroad }: CountryProfile['phone']): RateAbroad[] {
  const table = typeof abroad === 'object' ? (abroad.table ?? []) : [];
  return table.map(({ prefix, multiplier, receipts = true, numericSender = false, from }) => ({
    ...{ prefix, multiplier, receipts, numeric_sender: numericSender },
    valid_from: timestamp(new Date(from)),
  }));
}

/** Inserts the prices of the country, if it has any. Keeps a rate that an operator has added for the same moment. */
export const seedRates: Seed = async (tx, _now, { prices, phone }) => {
  await insertMissingRatesAbroad(tx, seededRatesAbroad(phone.profile));
  await insertMissingSmsRates(
    tx,
    prices.sms.map(({ from, rate }) => ({ valid_from: from, rate })),
  );
  await insertMissingLetterRates(
    tx,
    Object.entries(prices.letters).flatMap(([post_class, lists]) =>
      lists.flatMap(({ from, rates }) =>
        rates.map((rate, index) => ({
          post_class,
          start_date: from,
          sheet_count: index + 1,
          rate,
        })),
      ),
    ),
  );
};
