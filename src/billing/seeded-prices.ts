import type { CountryProfile } from '../countries/profile.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { seededRatesAbroad } from './rates.seed.ts';
import { deleteAllDefaultAllowances, deleteAllRates, selectEveryRate } from './seeded-prices.sql.ts';

/** Whether there is a rate that these seeds did not insert: somebody has added or changed one. */
export async function hasOwnRates(db: Db | Tx, { phone, prices: { sms, letters } }: CountryProfile): Promise<boolean> {
  const key = (kind: string, sheets: number, from: string, rate: string) =>
    `${kind} ${sheets} ${new Date(from).toISOString()} ${Number(rate)}`;
  const seeded = new Set([
    ...sms.map(({ from, rate }) => key('sms', 1, from, rate)),
    ...seededRatesAbroad(phone).map(({ prefix, valid_from, multiplier }) =>
      key(`abroad ${prefix}`, 1, valid_from, String(multiplier)),
    ),
    ...Object.entries(letters).flatMap(([post_class, lists]) =>
      lists.flatMap(({ from, rates }) => rates.map((rate, index) => key(post_class, index + 1, from, rate))),
    ),
  ]);
  const rows = await selectEveryRate(db);
  return rows.some(({ kind, sheet_count, valid_from, rate }) => !seeded.has(key(kind, sheet_count, valid_from, rate)));
}

/** Before the prices of another country are seeded. */
export async function deleteSeededPrices(tx: Tx): Promise<void> {
  await deleteAllRates(tx);
  await deleteAllDefaultAllowances(tx);
}
