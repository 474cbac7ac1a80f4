import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';

interface FoundRow {
  type: string;
  service_id: string | null;
  organisation_id: string | null;
  user_id: string | null;
}

/** Ids are unique across tables, except that a job or contact list has the id of the upload it was created from. */
export async function selectByUuid(db: Db, id: string): Promise<FoundRow | undefined> {
  const { rows } = await sql<FoundRow>`
    with found (type, service_id, organisation_id, user_id) as (
      select 'organisation', null::uuid, null::uuid, null::uuid from organisations where id = ${id}
      union all select 'service', null, null, null from services where id = ${id}
      union all select 'user', null, null, null from users where id = ${id}
      union all select 'email_branding', null, null, null from email_branding where id = ${id}
      union all select 'letter_branding', null, null, null from letter_branding where id = ${id}
      union all select 'notification', service_id, null, null from notifications where id = ${id}
      union all select 'notification', service_id, null, null from uploaded_letters where file_id = ${id}
      union all select 'job', service_id, null, null from jobs where id = ${id}
      union all select 'service_contact_list', service_id, null, null from contact_lists where id = ${id}
      union all select 'upload', service_id, null, null from uploads where id = ${id} and state in ('receiving', 'checked')
      union all select 'report_request', service_id, null, null from report_requests where id = ${id}
      union all select 'template', service_id, null, null from templates where id = ${id}
      union all select 'template_email_file', service_id, null, null from template_email_files where id = ${id}
      union all select 'letter_attachment', service_id, null, null from letter_attachments where id = ${id}
      union all select 'template_folder', service_id, null, null from template_folders where id = ${id}
      union all select 'api_key', service_id, null, null from api_keys where id = ${id}
      union all select 'service_sms_sender', service_id, null, null from service_sms_senders where id = ${id}
      union all select 'reply_to_email', service_id, null, null from service_email_reply_to where id = ${id}
      union all select 'letter_contact', service_id, null, null from service_letter_contacts where id = ${id}
      union all select 'service_callback_api', service_id, null, null from service_callback_api where id = ${id}
      union all select 'service_data_retention', service_id, null, null from service_data_retention where id = ${id}
      union all select 'inbound_number', service_id, null, null from inbound_numbers where id = ${id}
      union all select 'inbound_sms', service_id, null, null from inbound_sms where id = ${id}
      union all select 'complaint', service_id, null, null from complaints where id = ${id}
      union all select 'document', service_id, null, null from documents where id = ${id}
      union all select 'unsubscribe_report', service_id, null, null from unsubscribe_reports where id = ${id}
      union all select 'service_callback', service_id, null, null from service_callbacks where id = ${id}
      union all select 'provider', null, null, null from provider_details where id = ${id}
      union all select 'service_join_request', service_id, null, null from service_join_requests where id = ${id}
      union all select 'service_invite', service_id, null, null from service_invites where id = ${id}
      union all select 'organisation_invite', null, organisation_id, null from organisation_invites where id = ${id}
      union all select 'webauthn_credential', null, null, user_id from webauthn_credentials where id = ${id}
    )
    select * from found limit 1`.execute(db);
  return rows[0];
}

/** Concurrent callers share one query, because the endpoint is public. */
export function sharedDatabaseCheck(app: Platform): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  return () => {
    running ??= isDatabaseAvailable(app).finally(() => {
      running = undefined;
    });
    return running;
  };
}

export async function isDatabaseAvailable(app: Platform, timeout_ms = 3_000): Promise<boolean> {
  try {
    // A hung server never responds and must not block the status check.
    await Promise.race([sql`select 1`.execute(app.db), tooLate(timeout_ms)]);
    return true;
  } catch (error) {
    app.log.warn({ event: 'database.check_failed', err: error }, 'The database did not respond to the status check');
    return false;
  }
}

async function tooLate(timeout_ms: number): Promise<never> {
  await sleep(timeout_ms, undefined, { ref: false });
  throw new Error(`no response within ${timeout_ms} ms`);
}
