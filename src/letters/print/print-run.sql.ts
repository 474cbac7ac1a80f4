import { type Insertable, sql } from 'kysely';
import type { Country } from '../../countries/country.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import type { DB } from '../../platform/db/schema.ts';

export interface LetterToPrint {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  api_key_id: string | null;
  created_by_id: string | null;
  job_id: string | null;
  job_row_number: number | null;
  client_reference: string | null;
  postage: string;
  billable_units: number;
  created_at: Timestamp;
}

/** Selects the letters of a batch that are not printed yet. */
export async function selectLettersToPrint(
  { postage }: Pick<Country, 'postage'>,
  db: Db,
  ids: string[],
): Promise<LetterToPrint[]> {
  const rows = await db
    .selectFrom('notifications')
    .select([
      'id',
      'service_id',
      'template_id',
      'template_version',
      'api_key_id',
      'created_by_id',
      'job_id',
      'job_row_number',
      'client_reference',
      'postage',
      'billable_units',
      'created_at',
    ])
    .where('id', '=', anyOf(ids))
    .where('status', '=', 'created')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, postage: row.postage ?? postage.default }));
}

/** Records the day on letters that have none yet. Returns the days of all of them. */
export async function recordPrintDays(
  db: Db,
  ids: string[],
  { day, now }: { day: string; now: Timestamp },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ notification_id: string; print_day: string }>`
    insert into letter_files as f (notification_id, created_at, print_day)
    select id, ${now}, ${day}::date from unnest(${ids}::uuid[]) as id
    on conflict (notification_id) do update set print_day = coalesce(f.print_day, excluded.print_day)
    returning notification_id, print_day`.execute(db);
  return new Map(rows.map(({ notification_id, print_day }) => [notification_id, print_day]));
}

export async function insertPrintedLetters(tx: Tx, rows: Insertable<DB['printed_letters']>[]): Promise<void> {
  await tx
    .insertInto('printed_letters')
    .values(rows)
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute();
}

/** Maps references to their letters. Unknown references are missing. */
export async function selectPrintedLetters(db: Db, references: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('printed_letters')
    .select(['reference', 'notification_id'])
    .where('reference', '=', anyOf(references, 'text'))
    .execute();
  return new Map(rows.map(({ reference, notification_id }) => [reference, notification_id]));
}

export async function deletePrintedLettersBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('printed_letters').where('printed_at', '<', moment).execute();
}

export async function selectLettersToDespatch({ postage }: Pick<Country, 'postage'>, tx: Tx, ids: string[]) {
  const rows = await tx
    .selectFrom('notifications')
    .select(['id', 'service_id', 'postage', 'billable_units'])
    .where('id', '=', anyOf(ids))
    .where('notification_type', '=', 'letter')
    .execute();
  return rows.map((row) => ({ ...row, postage: row.postage ?? postage.default }));
}

export async function insertDespatches(tx: Tx, rows: Insertable<DB['letter_despatches']>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('letter_despatches')
    .values(rows)
    .onConflict((conflict) => conflict.column('notification_id').doNothing())
    .execute();
}
