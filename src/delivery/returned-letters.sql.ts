import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';

export interface AnnouncedLetter {
  notification_id: string;
  service_id: string;
  reference: string | null;
  date_sent: Timestamp;
  sent_by: string;
  template_name: string;
  template_id: string;
  template_version: number;
}

/** Letters that came back, in the words of the callback. */
export async function selectAnnouncedLetters(tx: Tx, ids: string[]): Promise<AnnouncedLetter[]> {
  const { rows } = await sql<AnnouncedLetter>`
    select returned.notification_id, returned.service_id, returned.client_reference as reference,
      returned.letter_created_at as date_sent, coalesce(sender.email_address, 'API') as sent_by,
      template.name as template_name, returned.template_id, returned.template_version
    from returned_letters returned
    join templates_history template
      on template.id = returned.template_id and template.version = returned.template_version
    left join users sender on sender.id = returned.created_by_id
    where returned.notification_id = any (${ids}::uuid[])
    order by returned.notification_id`.execute(tx);
  return rows;
}
