import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';

export interface UploadLine {
  /** Null for the letters of a day. */
  id: string | null;
  original_file_name: string;
  notification_count: number;
  template_type: Channel;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  processing_started: Timestamp | null;
}

/** File names that the official front end uses for its own jobs. */
const hiddenNames = ['Test message', 'Report'];

/** Selects jobs and days of letters: first those that have not started, then the others, newest first. */
export async function selectUploadLines(
  db: Db,
  serviceId: string,
  since: { kept: Record<Channel, Timestamp>; created: Timestamp | undefined },
  letterDays: { at: Timestamp; count: number }[],
  page: { size: number; skip: number },
): Promise<{ lines: UploadLine[]; total: number }> {
  const created = since.created === undefined ? sql`true` : sql`created_at >= ${since.created}`;
  const listed = sql`
    select id, original_file_name, row_count as notification_count, notification_type as template_type, scheduled_for,
      created_at, processing_started
    from jobs
    where service_id = ${serviceId} and status not in ('cancelled', 'scheduled') and contact_list_id is null
      and original_file_name <> all (${hiddenNames}::text[]) and ${created}
      and coalesce(processing_started, created_at) >= (${JSON.stringify(since.kept)}::jsonb ->> notification_type)::timestamptz
    union all
    select null, 'Uploaded letters', count, 'letter', null, at, at
    from json_to_recordset(${JSON.stringify(letterDays)}::json) as day (at timestamptz, count integer)`;
  const { rows: lines } = await sql<UploadLine>`
    select * from (${listed}) as listed
    order by processing_started desc nulls first, created_at desc, id limit ${page.size} offset ${page.skip}`.execute(
    db,
  );
  const { rows: totals } = await sql<{ total: number }>`
    select count(*)::integer as total from (${listed}) as listed`.execute(db);
  return { lines, total: totals[0]?.total ?? 0 };
}
