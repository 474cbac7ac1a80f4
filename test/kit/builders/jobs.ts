import { type Insertable, sql } from 'kysely';
import type { Status } from '../../../src/notifications/notification.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import type { DB } from '../../../src/platform/db/schema.ts';
import { newId } from '../../../src/platform/id.ts';
import type { Harness } from '../harness.ts';
import { aNotification } from './rows.ts';

/** A job of text messages that was sent completely, without its rows. */
export async function aJob(
  { app, clock }: Harness,
  service_id: string,
  template_id: string,
  fields: Partial<Insertable<DB['jobs']>> = {},
): Promise<string> {
  const id = newId(clock.now());
  const now = timestamp(clock.now());
  await app.db
    .insertInto('jobs')
    .values({
      id,
      service_id,
      template_id,
      template_version: 1,
      notification_type: 'sms',
      original_file_name: 'people.csv',
      status: 'finished all notifications created',
      key_type: 'normal',
      row_count: 2,
      created_at: now,
      processing_started: now,
      processing_finished: now,
      ...fields,
    })
    .execute();
  return id;
}

/** Stores the rows of a job's file as one chunk; null for a row that is not a message. */
export async function rowsOfJob(
  harness: Harness,
  job: string,
  header: string[],
  rows: { cells: (string | string[])[]; status: Status | null }[],
): Promise<string[]> {
  const { app, clock } = harness;
  const { service_id, template_id } = await app.db
    .selectFrom('jobs')
    .select(['service_id', 'template_id'])
    .where('id', '=', job)
    .executeTakeFirstOrThrow();
  const now = timestamp(clock.now());
  const known = await app.db.selectFrom('uploads').select('id').where('id', '=', job).executeTakeFirst();
  if (!known) {
    const file = { original_file_name: 'people.csv', header: JSON.stringify({ names: header, width: header.length }) };
    await app.db
      .insertInto('uploads')
      .values({ id: job, service_id, state: 'sent', ...file, created_at: now })
      .execute();
  }
  const { first_row } = await app.db
    .selectFrom('upload_chunks')
    .select((chunk) => chunk.fn.coalesce(chunk.fn.sum<number>('row_count'), sql<number>`0`).as('first_row'))
    .where('upload_id', '=', job)
    .executeTakeFirstOrThrow();
  const expanded_at = rows.some(({ status }) => status !== null) ? now : null;
  const cells = JSON.stringify(rows.map((row) => row.cells));
  await app.db
    .insertInto('upload_chunks')
    .values({ upload_id: job, first_row, row_count: rows.length, cells, expanded_at })
    .execute();
  const ids: string[] = [];
  for (const [index, { status }] of rows.entries()) {
    if (status === null) continue;
    const place = { job_id: job, job_row_number: first_row + index };
    ids.push(await aNotification(harness, service_id, template_id, { status, ...place }));
  }
  return ids;
}
