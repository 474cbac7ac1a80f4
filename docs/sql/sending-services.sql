/* prepared: sending-services */
select id, restricted, permissions, rate_limit, api_dialect, smtp_files, sms_message_limit,
  email_message_limit, letter_message_limit, international_sms_message_limit, (
  select json_agg(limits order by place)
  from (
    select json_build_object( 'owner_kind', 'service', 'owner_id', services.id, 'limits',
      json_build_object('email', services.email_annual_limit, 'sms', services.sms_annual_limit, 'letter',
      services.letter_annual_limit) ) as limits, 1 as place
    where coalesce(services.email_annual_limit, services.sms_annual_limit,
      services.letter_annual_limit) is not null
    union all
    select organised.*
    from organisations organisation
    cross join lateral (
      select json_build_object( 'owner_kind', 'organisation', 'owner_id', organisation.id, 'limits',
        json_build_object('email', organisation.email_annual_limit, 'sms', organisation.sms_annual_limit,
        'letter', organisation.letter_annual_limit) ) as limits, 2 as place
      where coalesce(organisation.email_annual_limit, organisation.sms_annual_limit,
        organisation.letter_annual_limit) is not null
    ) as organised
    where organisation.id = services.organisation_id
  ) as annual
) as annual_limits, sms_limit_unit, sms_limit_unit_from::text, contact_link, email_sender_local_part,
  case when prefix_sms then name end as sms_prefix, (
  select coalesce(json_agg(json_build_object('id', sender.id, 'text', sender.sms_sender)), '[]')
  from service_sms_senders sender
  where sender.service_id = services.id and not sender.archived
) as sms_senders, (
  select coalesce(json_agg(json_build_object('id', reply_to.id, 'text', reply_to.email_address)), '[]')
  from service_email_reply_to reply_to
  where reply_to.service_id = services.id and not reply_to.archived
) as email_reply_tos, array(
  select unnest(array[users.email_address, users.mobile_number]::text[])
  from service_members member
  join users on users.id = member.user_id
  where member.service_id = services.id and users.state <> 'inactive'
  union all
  select guest.recipient
  from service_guest_list guest
  where guest.service_id = services.id
) as recipients, (
  select json_build_object('because', guard.because, 'rate', guard.rate)
  from service_guard guard
  where guard.service_id = services.id and guard.state = 'paused'
) as guard, exists (
  select
  from sms_opt_outs stopped
  where stopped.service_id = services.id
) as has_opt_outs, (
  select json_build_object( 'windows',
    json_agg(json_build_object('id', w.id, 'days', w.days, 'from_time', w.from_time, 'until_time',
    w.until_time, 'closed_days', w.closed_days)), 'sms_window_id', chosen.sms_window_id, 'email_window_id',
    chosen.email_window_id, 'time_zone', chosen.time_zone, 'templates', (
    select json_agg(json_build_object('template_id', own.template_id, 'window_id', own.window_id))
    from template_sending_times own
    where own.service_id = services.id
  ))
  from send_windows w
  left join service_sending_times chosen on chosen.service_id = w.service_id
  where w.service_id = services.id
  group by chosen.service_id
) as sending_times, (
  select coalesce(json_agg(json_build_object('channel', day.channel, 'count', day.count)), '[]')
  from daily_message_counts day
  where day.service_id = services.id and day.utc_day = $1::date
) as counts
from services
where id = any ($2::uuid[])
