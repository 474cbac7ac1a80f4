import { type Insertable, sql } from 'kysely';
import type { Calendar } from '../countries/calendar.ts';
import { t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { localDay } from '../platform/db/local-day.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';

/** A rate applies to days that begin at or after its start. */
const firstDay = (calendar: Calendar, start: 'valid_from' | 'start_date') =>
  sql<string>`${localDay(calendar, `(${start} - interval '1 microsecond')`)} + 1`.as('first_day');

/** Selects rates, oldest first. */
export function selectSmsRates(calendar: Calendar, db: Db) {
  return db
    .selectFrom('sms_rates')
    .select(['valid_from', 'rate', firstDay(calendar, 'valid_from')])
    .orderBy('valid_from')
    .execute();
}

/** Selects rates, oldest first. */
export function selectLetterRates(calendar: Calendar, db: Db) {
  return db
    .selectFrom('letter_rates')
    .select(['post_class', 'sheet_count', 'start_date', 'rate', firstDay(calendar, 'start_date')])
    .orderBy('start_date')
    .execute();
}

export async function selectKnownPrices(db: Db): Promise<{ sms: boolean; letter: boolean }> {
  const { rows } = await sql<{ sms: boolean; letter: boolean }>`
    select exists (select from sms_rates) as sms, exists (select from letter_rates) as letter`.execute(db);
  return rows[0] ?? { sms: false, letter: false };
}

export async function insertSmsRate(db: Db, row: { valid_from: Timestamp; rate: number }): Promise<void> {
  await withConstraints(
    {
      sms_rates_pkey: () => invalidField('valid_from', t('Enter another date. There is already a rate from this one.')),
    },
    () => db.insertInto('sms_rates').values(row).execute(),
  );
}

export async function insertLetterRate(
  db: Db,
  row: { post_class: string; sheet_count: number; start_date: Timestamp; rate: number },
): Promise<void> {
  await withConstraints(
    {
      letter_rates_pkey: () =>
        invalidField('start_date', t('Enter another date. There is already a rate from this one.')),
    },
    () => db.insertInto('letter_rates').values(row).execute(),
  );
}

export async function insertMissingSmsRates(tx: Tx, rows: Insertable<DB['sms_rates']>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('sms_rates')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function insertMissingLetterRates(tx: Tx, rows: Insertable<DB['letter_rates']>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('letter_rates')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface StoredRate {
  /** `sms`, a postage class, or `abroad` and a prefix. */
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
