import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Inserts references that were sent to the printer. Returns the new ones. */
export async function insertReturnedLetters(
  tx: Tx,
  references: string[],
  reported: { reported_on: string; created_at: Timestamp },
): Promise<{ notification_id: string }[]> {
  const { rows } = await sql<{ notification_id: string }>`
    insert into returned_letters (notification_id, reference, service_id, template_id, template_version, api_key_id,
      created_by_id, job_id, job_row_number, client_reference, letter_created_at, printed_at, reported_on, created_at)
    select notification_id, reference, service_id, template_id, template_version, api_key_id, created_by_id,
      job_id, job_row_number, client_reference, created_at, printed_at, ${reported.reported_on}::date, ${reported.created_at}::timestamptz
    from printed_letters where reference = any (${references})
    order by notification_id
    on conflict (notification_id) do nothing
    returning notification_id`.execute(tx);
  return rows;
}

/** Clears references of letters before this id. Ids ascend with time. */
export async function clearReferencesBefore(db: Db, beforeId: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update returned_letters set client_reference = null where notification_id in (
      select notification_id from returned_letters where notification_id < ${beforeId} and client_reference is not null
      order by notification_id limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export function selectReturnedCounts(db: Db, serviceId: string): Promise<{ reported_on: string; count: number }[]> {
  return db
    .selectFrom('returned_letters')
    .select(['reported_on', sql<number>`count(*)`.as('count')])
    .where('service_id', '=', serviceId)
    .groupBy('reported_on')
    .orderBy('reported_on', 'desc')
    .execute();
}

export interface ReturnedLetter {
  notification_id: string;
  /** The public id: for a letter uploaded by hand, the id of its file. */
  shown_id: string;
  service_id: string;
  client_reference: string | null;
  reported_on: string;
  letter_created_at: Timestamp;
  printed_at: Timestamp;
  api_key_id: string | null;
  template_id: string;
  template_version: number;
  template_name: string;
  precompiled: boolean;
  original_file_name: string | null;
  /** The row number in the spreadsheet, whose header is row 1. */
  spreadsheet_row_number: number | null;
  user_name: string | null;
  email_address: string | null;
}

const returnedColumns = sql`returned.notification_id,
  coalesce(uploaded.file_id, returned.notification_id) as shown_id, returned.service_id, returned.client_reference, returned.reported_on,
  returned.letter_created_at, returned.printed_at, returned.api_key_id, returned.template_id, returned.template_version,
  template.name as template_name, template.hidden as precompiled, job.original_file_name, returned.job_row_number + 2 as spreadsheet_row_number,
  sender.name as user_name, sender.email_address
  from returned_letters returned
  join templates_history template
    on template.id = returned.template_id and template.version = returned.template_version
  left join uploaded_letters uploaded on uploaded.notification_id = returned.notification_id
  left join jobs job on job.id = returned.job_id
  left join users sender on sender.id = returned.created_by_id`;

/** Selects letters, newest first. */
export async function selectReturnedLetters(db: Db, serviceId: string, reportedOn: string): Promise<ReturnedLetter[]> {
  const { rows } = await sql<ReturnedLetter>`select ${returnedColumns}
    where returned.service_id = ${serviceId} and returned.reported_on = ${reportedOn}::date
    order by returned.letter_created_at desc, returned.notification_id`.execute(db);
  return rows;
}

/** A separate query by id, because the planner may turn a join into a scan of all notifications. */
export async function countExisting(db: Db, notificationIds: string[]): Promise<number> {
  if (notificationIds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from notifications where id = any (${notificationIds}::uuid[])`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function selectReturnedLettersById(tx: Tx, ids: string[]): Promise<ReturnedLetter[]> {
  const { rows } = await sql<ReturnedLetter>`select ${returnedColumns}
    where returned.notification_id = any (${ids}) order by returned.notification_id`.execute(tx);
  return rows;
}
