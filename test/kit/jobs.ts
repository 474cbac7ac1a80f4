import type { Insertable } from 'kysely';
import { timestamp } from '../../src/platform/clock.ts';
import type { Jobs } from '../../src/platform/db/schema.ts';
import { newId } from '../../src/platform/id.ts';
import type { Harness } from './harness.ts';

/** A job of text messages that was sent completely, without its rows. */
export async function aJob(
  { app, clock }: Harness,
  service_id: string,
  template_id: string,
  fields: Partial<Insertable<Jobs>> = {},
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
