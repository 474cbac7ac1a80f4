import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

interface StoredRate {
  /** `sms`, or a class of postage. */
  kind: string;
  sheet_count: number;
  valid_from: string;
  rate: string;
}

export async function selectEveryRate(db: Db | Tx): Promise<StoredRate[]> {
  const { rows } = await sql<StoredRate>`
    select 'sms' as kind, 1 as sheet_count, valid_from, rate from sms_rates
    union all
    select post_class, sheet_count, start_date, rate from letter_rates`.execute(db);
  return rows;
}

export async function deleteAllRates(tx: Tx): Promise<void> {
  await tx.deleteFrom('sms_rates').execute();
  await tx.deleteFrom('letter_rates').execute();
}

export async function deleteAllDefaultAllowances(tx: Tx): Promise<void> {
  await tx.deleteFrom('default_allowances').execute();
}
