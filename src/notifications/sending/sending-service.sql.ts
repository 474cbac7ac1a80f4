import { sql } from 'kysely';
import type { SendWindow } from '../../countries/timing/send-windows.ts';
import type { Db } from '../../platform/db/database.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import type { TextUnitSetting } from '../../services/settings/text-unit.ts';
import type { GuardPause } from '../guard/guard.ts';
import type { AnnualLimits } from '../limits/annual-limits.sql.ts';
import type { LimitedChannel } from '../notification.ts';

export interface SendingServiceRow extends TextUnitSetting {
  id: string;
  restricted: boolean;
  permissions: string[];
  rate_limit: number;
  api_dialect: ApiDialect;
  smtp_files: 'refuse' | 'drop' | 'link' | null;
  sms_message_limit: number;
  email_message_limit: number;
  letter_message_limit: number;
  international_sms_message_limit: number;
  /** Null if there are none. */
  annual_limits: AnnualLimits[] | null;
  contact_link: string | null;
  email_sender_local_part: string;
  sms_prefix: string | null;
  sms_senders: { id: string; text: string }[];
  email_reply_tos: { id: string; text: string }[];
  /** Email addresses and phone numbers of members and guests. */
  recipients: string[];
  guard: GuardPause | null;
  has_opt_outs: boolean;
  /** Null if there are none. */
  sending_times: {
    windows: (SendWindow & { id: string })[];
    sms_window_id: string | null;
    email_window_id: string | null;
    time_zone: string | null;
    templates: { template_id: string; window_id: string | null }[] | null;
  } | null;
  counts: { channel: LimitedChannel; count: number }[];
}

const limitsOf = (owner_kind: string, owner: string) => `select json_build_object(
    'owner_kind', '${owner_kind}', 'owner_id', ${owner}.id,
    'limits', json_build_object('email', ${owner}.email_annual_limit, 'sms', ${owner}.sms_annual_limit, 'letter', ${owner}.letter_annual_limit)
  ) as limits, ${owner_kind === 'service' ? 1 : 2} as place
  where coalesce(${owner}.email_annual_limit, ${owner}.sms_annual_limit, ${owner}.letter_annual_limit) is not null`;

const annualLimits = sql.raw(`(
  select json_agg(limits order by place) from (
    ${limitsOf('service', 'services')}
    union all
    select organised.* from organisations organisation
    cross join lateral (${limitsOf('organisation', 'organisation')}) as organised
    where organisation.id = services.organisation_id
  ) as annual
)`);

const sendingTimes = sql.raw(`(
  select json_build_object(
    'windows', json_agg(json_build_object('id', w.id, 'days', w.days, 'from_time', w.from_time, 'until_time', w.until_time,
      'closed_days', w.closed_days)),
    'sms_window_id', chosen.sms_window_id, 'email_window_id', chosen.email_window_id, 'time_zone', chosen.time_zone,
    'templates', (
      select json_agg(json_build_object('template_id', own.template_id, 'window_id', own.window_id))
      from template_sending_times own where own.service_id = services.id
    ))
  from send_windows w left join service_sending_times chosen on chosen.service_id = w.service_id
  where w.service_id = services.id
  group by chosen.service_id
)`);

/** Loads everything about services that accepting a message needs, in one round trip. */
export async function selectSendingServices(db: Db, ids: string[], utcDay: string): Promise<SendingServiceRow[]> {
  const { rows } = await sql<SendingServiceRow>`/* prepared: sending-services */
    select id, restricted, permissions, rate_limit, api_dialect, smtp_files, sms_message_limit, email_message_limit,
      letter_message_limit, international_sms_message_limit, ${annualLimits} as annual_limits,
      sms_limit_unit, sms_limit_unit_from::text, contact_link, email_sender_local_part,
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
        select json_build_object('because', guard.because, 'rate', guard.rate) from service_guard guard
        where guard.service_id = services.id and guard.state = 'paused'
      ) as guard,
      exists (select from sms_opt_outs stopped where stopped.service_id = services.id) as has_opt_outs,
      ${sendingTimes} as sending_times,
      (
        select coalesce(json_agg(json_build_object('channel', day.channel, 'count', day.count)), '[]')
        from daily_message_counts day where day.service_id = services.id and day.utc_day = ${utcDay}::date
      ) as counts
    from services where id = any (${ids}::uuid[])`.execute(db);
  return rows;
}
