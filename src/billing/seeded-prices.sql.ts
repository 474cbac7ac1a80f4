import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

interface StoredRate {
  /** `sms`, a class of postage, or `abroad` and a prefix. */
  kind: string;
  sheet_count: number;
  valid_from: string;
  rate: string;
}

export async function selectEveryRate(db: Db | Tx): Promise<StoredRate[]> {
  const { rows } = await sql<StoredRate>`
    select 'sms' as kind, 1 as sheet_count, valid_from, rate from sms_rates
    union all
    select post_class, sheet_count, start_date, rate from letter_rates
    union all
    select 'abroad ' || prefix, 1, valid_from, coalesce(multiplier, 0) from rates_abroad`.execute(db);
  return rows;
}

export async function deleteAllRates(tx: Tx): Promise<void> {
  await tx.deleteFrom('sms_rates').execute();
  await tx.deleteFrom('letter_rates').execute();
  await tx.deleteFrom('rates_abroad').execute();
}

export async function deleteAllDefaultAllowances(tx: Tx): Promise<void> {
  await tx.deleteFrom('default_allowances').execute();
}
