/* prepared: store-keyed-notifications */
with waits as (
  select set_config('lock_timeout', $3, true)
), candidates as (
  select *, (created_at at time zone 'UTC')::date as utc_day
  from unnest($1::notification_to_store[])
), keys as (
  insert into idempotency_keys as k (service_id, key, request_digest, response, created_at)
  select r.*
  from json_to_recordset($5::json)
    as r (service_id uuid, key text, request_digest text, response jsonb, created_at timestamptz)
  cross join waits
  order by service_id, key
  on conflict (service_id, key) do update set request_digest = excluded.request_digest,
    response = excluded.response, created_at = excluded.created_at
  where k.created_at <= $6::timestamptz
  returning k.service_id, k.key
), quotas as (
  select quota.*
  from unnest($2::quota_request[]) as quota
  cross join waits
  where (select count(*) from keys) >= 0
), abroad as (
  insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(requested, daily_limit), daily_limit,
    least(requested, daily_limit)
  from quotas
  where channel = 'international_sms'
  order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set count = c.count + greatest(0,
    least(excluded.last_taken, excluded.last_limit - c.count)), last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.last_taken, c.count, c.last_limit
), claimed as (
  insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(requested, daily_limit), daily_limit,
    least(requested, daily_limit)
  from (
    select s.service_id, s.utc_day, s.channel, s.daily_limit, s.requested +
      case when s.channel = 'sms' then coalesce(abroad.last_taken, 0) else 0 end as requested
    from quotas s
    left join abroad using (service_id, utc_day)
    where s.channel <> 'international_sms'
  ) as day
  order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set count = c.count + greatest(0,
    least(excluded.last_taken, excluded.last_limit - c.count)), last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.last_taken, c.count, c.last_limit
), accepted as (
  select candidate.*
  from candidates candidate
  left join claimed on claimed.service_id = candidate.service_id and claimed.utc_day = candidate.utc_day
    and claimed.channel = candidate.notification_type
  left join abroad on abroad.service_id = candidate.service_id and abroad.utc_day = candidate.utc_day
  where (candidate.sequence = 0 or candidate.sequence <= claimed.last_taken)
    and (candidate.international_sequence = 0 or candidate.international_sequence <= abroad.last_taken)
), stored as (
  insert into notifications (id, service_id, template_id, template_version, notification_type, key_type,
    api_key_id, created_by_id, status, client_reference, recipient, normalised_recipient, personalisation,
    reply_to_text, postage, international, rate_multiplier, one_click_unsubscribe_url, scheduled_for,
    created_at, job_id, job_row_number, language)
  select id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text,
    postage, international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at, job_id,
    job_row_number, language
  from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, coalesce(due_at, created_at)
  from accepted
  where lane is not null
), counted as (
  insert into status_count_changes (london_day, service_id, template_id, notification_type, key_type, status,
    job_id, change)
  select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type,
    key_type, status, job_id, count(*)
  from accepted
  group by 1, 2, 3, 4, 5, 6, 7
), traced as (
  insert into message_traces (notification_id, traceparent)
  select accepted.id, trace.traceparent
  from json_to_recordset($4::json) as trace (notification_id uuid, traceparent text)
  join accepted on accepted.id = trace.notification_id
)
select exhausted.*
from (
  select require_complete((select count(*) from keys) = json_array_length($5::json)
    and (select count(*) from accepted) = (select count(*) from candidates)) as is_complete
) as checked
left join (
  select service_id, utc_day, channel, last_taken, count
  from (select * from abroad union all select * from claimed) as claimed
  where count >= last_limit
) as exhausted on checked.is_complete
