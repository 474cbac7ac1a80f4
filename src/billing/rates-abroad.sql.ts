import { sql } from 'kysely';
import { t } from '../language/text.ts';
import type { RateAbroad } from '../notifications/rates-abroad.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalidField } from '../platform/failure.ts';

export async function insertRateAbroad(db: Db, rate: RateAbroad): Promise<void> {
  await withConstraints(
    {
      rates_abroad_pkey: () =>
        invalidField('valid_from', t('Enter another date. There is already a rate from this one.')),
    },
    () => db.insertInto('rates_abroad').values(rate).execute(),
  );
}

/** Keeps a rate that an operator has added for the same moment. */
export async function insertMissingRatesAbroad(tx: Tx, rates: RateAbroad[]): Promise<void> {
  if (rates.length === 0) return;
  await tx
    .insertInto('rates_abroad')
    .values(rates)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Does not write rates that already exist with these values. Returns, for each of the others, whether it was new. */
export async function upsertRatesAbroad(tx: Tx, rates: RateAbroad[]): Promise<{ is_new: boolean }[]> {
  const { rows } = await sql<{ is_new: boolean }>`
    insert into rates_abroad as rate (prefix, valid_from, multiplier, receipts, numeric_sender)
    select * from json_to_recordset(${JSON.stringify(rates)}::json)
      as given (prefix text, valid_from timestamptz, multiplier smallint, receipts boolean, numeric_sender boolean)
    on conflict (prefix, valid_from) do update
    set multiplier = excluded.multiplier, receipts = excluded.receipts, numeric_sender = excluded.numeric_sender
    where (rate.multiplier, rate.receipts, rate.numeric_sender)
      is distinct from (excluded.multiplier, excluded.receipts, excluded.numeric_sender)
    returning xmax = 0 as is_new`.execute(tx);
  return rows;
}
