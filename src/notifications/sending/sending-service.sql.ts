import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import type { LimitedChannel } from '../notification.ts';

interface SendingServiceRow {
  id: string;
  restricted: boolean;
  permissions: string[];
  rate_limit: number;
  api_dialect: ApiDialect;
  sms_message_limit: number;
  email_message_limit: number;
  letter_message_limit: number;
  international_sms_message_limit: number;
  contact_link: string | null;
  email_sender_local_part: string;
  sms_prefix: string | null;
  sms_senders: { id: string; text: string }[];
  email_reply_tos: { id: string; text: string }[];
  /** Email addresses and phone numbers of members and guests. */
  recipients: string[];
  counts: { channel: LimitedChannel; count: number }[];
}

/** Loads everything about services that accepting a message needs, in one round trip. */
export async function selectSendingServices(db: Db, ids: string[], utcDay: string): Promise<SendingServiceRow[]> {
  const { rows } = await sql<SendingServiceRow>`/* prepared: sending-services */
    select id, restricted, permissions, rate_limit, api_dialect, sms_message_limit, email_message_limit,
      letter_message_limit, international_sms_message_limit, contact_link, email_sender_local_part,
      case when prefix_sms then name end as sms_prefix,
      (
        select coalesce(json_agg(json_build_object('id', sender.id, 'text', sender.sms_sender)), '[]')
        from service_sms_senders sender where sender.service_id = services.id and not sender.archived
      ) as sms_senders,
      (
        select coalesce(json_agg(json_build_object('id', reply_to.id, 'text', reply_to.email_address)), '[]')
        from service_email_reply_to reply_to where reply_to.service_id = services.id and not reply_to.archived
      ) as email_reply_tos,
      array(
        select unnest(array[users.email_address, users.mobile_number]::text[])
        from service_members member join users on users.id = member.user_id
        where member.service_id = services.id and users.state <> 'inactive'
        union all
        select guest.recipient from service_guest_list guest where guest.service_id = services.id
      ) as recipients,
      (
        select coalesce(json_agg(json_build_object('channel', day.channel, 'count', day.count)), '[]')
        from daily_message_counts day where day.service_id = services.id and day.utc_day = ${utcDay}::date
      ) as counts
    from services where id = any (${ids}::uuid[])`.execute(db);
  return rows;
}
