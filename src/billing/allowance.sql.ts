import { type Insertable, sql } from 'kysely';
import type { Days } from '../countries/calendar.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { DB } from '../platform/db/schema.ts';
import { spansOf } from '../platform/spans.ts';

export interface Allowance {
  financial_year_start: number;
  free_sms_fragment_limit: number;
  has_custom_allowance: boolean;
  high_volume_service_last_year: boolean;
}

export function selectAllowance(db: Db, serviceId: string, year: number): Promise<Allowance | undefined> {
  return db
    .selectFrom('annual_allowances')
    .select([
      'financial_year_start',
      'free_sms_fragment_limit',
      'has_custom_allowance',
      'high_volume_service_last_year',
    ])
    .where('service_id', '=', serviceId)
    .where('financial_year_start', '=', year)
    .executeTakeFirst();
}

/** Returns the newest default that is valid in that year; for earlier years, the first default. */
export async function selectDefault(db: Db, organisationType: string | null, year: number): Promise<number> {
  const { rows } = await sql<{ free_sms_fragment_limit: number }>`
    select free_sms_fragment_limit from default_allowances
    where organisation_type = coalesce(${organisationType}, 'other')
    order by valid_from_year <= ${year} desc, abs(valid_from_year - ${year}) limit 1`.execute(db);
  return rows[0]?.free_sms_fragment_limit ?? 0;
}

/** Returns when the country of the database was chosen. */
export async function selectInstalledAt(db: Db): Promise<Timestamp | undefined> {
  const row = await db.selectFrom('installation').select('chosen_at').executeTakeFirst();
  return row?.chosen_at;
}

export async function upsertDefaults(tx: Tx, defaults: Insertable<DB['default_allowances']>[]): Promise<void> {
  if (defaults.length === 0) return;
  await tx
    .insertInto('default_allowances')
    .values(defaults)
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_type', 'valid_from_year'])
        .doUpdateSet((row) => ({ free_sms_fragment_limit: row.ref('excluded.free_sms_fragment_limit') }))
        .whereRef('default_allowances.free_sms_fragment_limit', '<>', 'excluded.free_sms_fragment_limit'),
    )
    .execute();
}

export async function selectOrganisationType(
  db: Db,
  serviceId: string,
): Promise<{ organisation_type: string | null } | undefined> {
  return db.selectFrom('services').select('organisation_type').where('id', '=', serviceId).executeTakeFirst();
}

export interface ImpliedAllowance extends Allowance {
  service_id: string;
}

export interface ImpliedQuestion {
  year: number;
  /** The financial year that is checked for high volume. */
  volumeDays: Days;
  /** Null: there is no rule on high volume. */
  highVolume: number | null;
  which: { service_id: string } | 'services without a row' | 'active services without a row';
}

/** Computes the allowance of services without a stored one in a year. */
export async function selectImplied(db: Db, question: ImpliedQuestion): Promise<ImpliedAllowance[]> {
  const { year, which, volumeDays } = question;
  const chosen =
    typeof which === 'object'
      ? sql`s.id = ${which.service_id}`
      : sql`not exists (select from annual_allowances a where a.service_id = s.id and a.financial_year_start = ${year})
          and (s.active or ${which === 'services without a row'})`;
  const usage = typeof which === 'object' ? sql`service_id = ${which.service_id}` : sql`true`;
  const { rows } = await sql<ImpliedAllowance>`
    with spans as (
      select * from json_to_recordset(${JSON.stringify(spansOf(volumeDays))}::json) as span (span text, first_day date)
    ), volume as (
      select service_id, sms_chargeable_units
      from spans s join service_usage_spans t on t.span = s.span and t.first_day = s.first_day
      where ${usage}
      union all
      select service_id, sms_chargeable_units from usage_not_folded
      where london_day between ${volumeDays.first_day} and ${volumeDays.last_day} and ${usage}
    ), high_volume as (
      select service_id from volume
      group by service_id
      having total(sms_chargeable_units) >= ${question.highVolume}
    )
    select s.id as service_id, ${year}::integer as financial_year_start,
      case
        when high_volume.service_id is not null then 0
        when previous.has_custom_allowance then previous.free_sms_fragment_limit
        else coalesce((
          select d.free_sms_fragment_limit from default_allowances d
          where d.organisation_type = coalesce(s.organisation_type, 'other')
          order by d.valid_from_year <= ${year} desc, abs(d.valid_from_year - ${year}) limit 1
        ), 0)
      end as free_sms_fragment_limit,
      high_volume.service_id is null and coalesce(previous.has_custom_allowance, false) as has_custom_allowance,
      high_volume.service_id is not null as high_volume_service_last_year
    from services s
    left join high_volume on high_volume.service_id = s.id
    left join annual_allowances previous on previous.service_id = s.id and previous.financial_year_start = ${year}::integer - 1
    where ${chosen}`.execute(db);
  return rows;
}

/** Passes all services as one JSON parameter, because the number of parameters is limited. */
export async function insertMissingAllowances(tx: Tx, allowances: ImpliedAllowance[], now: Timestamp): Promise<void> {
  await sql`
    insert into annual_allowances (service_id, financial_year_start, free_sms_fragment_limit, has_custom_allowance,
      high_volume_service_last_year, created_at)
    select missing.*, ${now}::timestamptz from json_to_recordset(${JSON.stringify(allowances)}::json) as missing
      (service_id uuid, financial_year_start integer, free_sms_fragment_limit integer, has_custom_allowance boolean,
        high_volume_service_last_year boolean)
    on conflict (service_id, financial_year_start) do nothing`.execute(tx);
}

export async function upsertAllowance(tx: Tx, allowance: ImpliedAllowance, now: Timestamp): Promise<void> {
  const { free_sms_fragment_limit, has_custom_allowance, high_volume_service_last_year } = allowance;
  await tx
    .insertInto('annual_allowances')
    .values({ ...allowance, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['service_id', 'financial_year_start'])
        .doUpdateSet({ free_sms_fragment_limit, has_custom_allowance, high_volume_service_last_year, updated_at: now }),
    )
    .execute();
}

/** Sets only the limit and keeps the high-volume flag. */
export async function upsertLimit(
  tx: Tx,
  row: Pick<
    ImpliedAllowance,
    'service_id' | 'financial_year_start' | 'free_sms_fragment_limit' | 'has_custom_allowance'
  >,
  now: Timestamp,
): Promise<void> {
  const { free_sms_fragment_limit, has_custom_allowance } = row;
  await tx
    .insertInto('annual_allowances')
    .values({ ...row, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['service_id', 'financial_year_start'])
        .doUpdateSet({ free_sms_fragment_limit, has_custom_allowance, updated_at: now }),
    )
    .execute();
}
