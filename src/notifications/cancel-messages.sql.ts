import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import type { TextUnitSetting } from '../services/settings/text-unit.ts';

/** A message as its limits have counted it, and what its parts are counted from. */
export interface CountedMessage extends TextUnitSetting {
  id: string;
  service_id: string;
  channel: Channel;
  /** When the message, or the file that it is a row of, was counted. */
  counted_at: Timestamp;
  international: boolean;
  normalised_recipient: string | null;
  template_id: string;
  template_version: number;
  language: string | null;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
  sms_prefix: string | null;
}

/** Only texts have their values: those of emails may be long. */
export async function selectCounted(tx: Tx, ids: readonly string[]): Promise<CountedMessage[]> {
  const { rows } = await sql<CountedMessage>`
    select n.id, n.service_id, n.notification_type as channel, n.international, n.normalised_recipient, n.template_id,
      n.template_version, n.language, n.secret_personalisation,
      case when n.notification_type = 'sms' then n.personalisation else '{}' end as personalisation,
      s.sms_limit_unit, s.sms_limit_unit_from::text as sms_limit_unit_from,
      case when s.prefix_sms then s.name end as sms_prefix,
      case when j.id is null then n.created_at
        when coalesce(j.wanted_at, j.scheduled_for, j.created_at) = j.created_at then j.created_at
        else coalesce(j.processing_started, j.created_at) end as counted_at
    from notifications n join services s on s.id = n.service_id left join jobs j on j.id = n.job_id
    where n.id = any (${ids}::uuid[])`.execute(tx);
  return rows;
}
