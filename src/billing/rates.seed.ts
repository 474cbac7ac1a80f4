import type { Seed } from '../platform/db/seed.ts';
import { insertMissingLetterRates, insertMissingSmsRates } from './rates.sql.ts';

/** The prices of the country, which may have none. A rate that an operator has added for the same moment is kept. */
export const seedRates: Seed = async (tx, _now, { prices }) => {
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
