/* prepared: sending-services */
select id, restricted, permissions, rate_limit, api_dialect, sms_message_limit, email_message_limit,
  letter_message_limit, international_sms_message_limit, contact_link, email_sender_local_part,
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
  select coalesce(json_agg(json_build_object('channel', day.channel, 'count', day.count)), '[]')
  from daily_message_counts day
  where day.service_id = services.id and day.utc_day = $1::date
) as counts
from services
where id = any ($2::uuid[])
