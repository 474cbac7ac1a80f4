/* prepared: record-reported */
with wanted as (
  select *
  from json_to_recordset($1::json)
    as w (id uuid, status text, event text, provider text, provider_reference text, billable_units int,
    sent_at timestamptz, postage text, international boolean, recipient text, normalised_recipient text,
    blames_sender boolean, sending_domain_id uuid)
), before as (
  select w.*, n.status as previous_status, n.provider as previous_provider,
    n.billable_units as previous_units, n.postage as previous_postage,
    n.international as previous_international, n.sent_at as previous_sent_at,
    case when not (w.event = 'handedOver'
    and n.status in ('pending', 'delivered', 'temporary-failure', 'permanent-failure',
    'technical-failure')) then w.status end as next_status, ((w.event = 'handedOver'
    and n.status in ('pending', 'delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'))
    or case w.event
    when 'handedOver' then n.status in ('created')
    when 'simulated' then n.status in ('created')
    when 'handedOverLate' then n.status in ('pending', 'delivered', 'temporary-failure', 'permanent-failure',
      'technical-failure')
    when 'receipt' then n.status in ('created', 'sending', 'pending', 'sent', 'pending-virus-check')
    when 'assumedDelivered' then n.status in ('sending', 'pending')
    when 'bounced' then n.status in ('created', 'sending', 'pending', 'delivered')
    when 'timedOut' then n.status in ('sending', 'pending')
    when 'givenUp' then n.status in ('created', 'sending', 'pending-virus-check')
    when 'checked' then n.status in ('created', 'pending-virus-check')
    when 'cancelled' then n.status in ('created', 'pending-virus-check')
    when 'letterJobCancelled' then n.status in ('created', 'pending-virus-check', 'technical-failure',
      'validation-failed', 'virus-scan-failed')
    when 'despatched' then n.status in ('created', 'sending')
    when 'returned' then n.status in ('created', 'sending', 'delivered')
  end) as may_change
  from notifications n
  join wanted w on w.id = n.id
  where n.id = any (array(select id from wanted))
  order by n.id
  for update of n
), after as (
  update notifications n
  set status = coalesce(w.next_status, n.status), updated_at =
    case when w.next_status is null then n.updated_at else $2 end,
    provider = coalesce(w.provider, n.provider),
    provider_reference = coalesce(w.provider_reference, n.provider_reference),
    billable_units = coalesce(w.billable_units, n.billable_units), sent_at = coalesce(w.sent_at, n.sent_at),
    postage = coalesce(w.postage, n.postage), international = coalesce(w.international, n.international),
    recipient = coalesce(w.recipient, n.recipient),
    normalised_recipient = coalesce(w.normalised_recipient, n.normalised_recipient)
  from before w
  where n.id = w.id and w.may_change and n.id = any (array(select id from before where may_change))
  returning n.id, n.created_at, n.service_id, n.template_id, n.template_version, n.language,
    n.notification_type, n.key_type, n.rate_multiplier, n.status, n.provider, n.billable_units, n.postage,
    n.international, n.client_reference, n.recipient, n.sent_at, n.updated_at, n.job_id, w.event as made_by,
    w.blames_sender, w.sending_domain_id, w.previous_sent_at, w.previous_status, w.previous_provider,
    w.previous_units, w.previous_postage, w.previous_international
), counted as (
  insert into status_count_changes (london_day, service_id, template_id, notification_type, key_type,
    previous_status, status, job_id, change)
  select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type,
    key_type, previous_status, status, job_id, count(*)
  from after
  where status <> previous_status
  group by 1, 2, 3, 4, 5, 6, 7, 8
), recharged as (
  select *
  from after
  where ((key_type <> 'test' and case notification_type
    when 'sms' then status in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure')
      or status = 'permanent-failure' and provider is not null
    when 'email' then status in ('sending', 'delivered', 'temporary-failure') or status = 'permanent-failure'
      and provider is not null
    else status in ('sending', 'delivered', 'returned-letter')
  end), provider, billable_units, postage, international) is distinct from ((key_type <> 'test' and
    case notification_type
    when 'sms' then previous_status in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure')
      or previous_status = 'permanent-failure' and previous_provider is not null
    when 'email' then previous_status in ('sending', 'delivered', 'temporary-failure')
      or previous_status = 'permanent-failure' and previous_provider is not null
    else previous_status in ('sending', 'delivered', 'returned-letter')
  end), previous_provider, previous_units, previous_postage, previous_international)
), both_sides as (
  select created_at, service_id, template_id, notification_type, key_type, rate_multiplier, status, provider,
    billable_units, postage, international, 1 as change
  from recharged
  union all
  select created_at, service_id, template_id, notification_type, key_type, rate_multiplier, previous_status,
    previous_provider, previous_units, previous_postage, previous_international, -1
  from recharged
), charged as (
  insert into usage_changes (london_day, service_id, template_id, notification_type, provider,
    rate_multiplier, international, postage, sheets, billable_units, notifications_sent)
  select (created_at at time zone 'Europe/London')::date as london_day, service_id, template_id,
    notification_type, coalesce(provider, 'unknown') as provider,
    case when notification_type = 'email' then 0 else rate_multiplier end as rate_multiplier, international,
    coalesce(postage, 'none') as postage, case when notification_type = 'letter' then billable_units
    else 0 end as sheets, sum(change * case when notification_type = 'email' then 0 else billable_units end),
    sum(change)
  from both_sides
  where (key_type <> 'test' and case notification_type
    when 'sms' then status in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure')
      or status = 'permanent-failure' and provider is not null
    when 'email' then status in ('sending', 'delivered', 'temporary-failure') or status = 'permanent-failure'
      and provider is not null
    else status in ('sending', 'delivered', 'returned-letter')
  end)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  having sum(change) <> 0 or sum(change * billable_units) <> 0
), outcomes as (
  insert into email_outcome_changes (service_id, domain_id, hour, sent, hard_bounces, soft_bounces,
    complaints)
  select service_id,
    case when (made_by in ('receipt', 'bounced') and sent_at is not null and status <> previous_status
    and status in ('permanent-failure', 'temporary-failure')) then (
    select coalesce(own.id, shared.id)
    from services s
    left join organisations o on o.id = s.organisation_id
    left join sending_domains own on own.id = s.sending_domain_id and own.state in ('verified', 'warning')
    left join sending_domains shared on shared.id = o.sending_domain_id
      and shared.state in ('verified', 'warning')
    where s.id = after.service_id
  ) else sending_domain_id end, date_trunc('hour', coalesce(sent_at, updated_at), 'UTC'),
    count(*) filter (where (made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null)
    or (made_by = 'givenUp' and provider is not null
    and status in ('permanent-failure', 'temporary-failure'))), count(*) filter (where
    case when status = 'permanent-failure' then (case
    when (made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null) then (
    select q.blames_sender
    from delivery_queue q
    where q.notification_id = after.id
  ) else blames_sender end) is not true end), count(*) filter (where case status
    when 'temporary-failure' then true
    when 'permanent-failure' then
      case when (made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null) then (
      select q.blames_sender
      from delivery_queue q
      where q.notification_id = after.id
    ) else blames_sender end
  end), 0
  from after
  where notification_type = 'email' and key_type <> 'test'
    and ((made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null)
    or (made_by = 'givenUp' and provider is not null
    and status in ('permanent-failure', 'temporary-failure')) or (made_by in ('receipt', 'bounced')
    and sent_at is not null and status <> previous_status
    and status in ('permanent-failure', 'temporary-failure')))
  group by 1, 2, 3
), noted_steps as (
  insert into plan_step_changes (message_id)
  select message_id
  from plan_steps
  where notification_id = any (array(select id from after))
), brought_forward as (
  update delivery_queue q
  set due_at = least(q.due_at, $3::timestamptz), blames_sender = a.blames_sender
  from after a
  where q.notification_id = any (array(select id from after where sent_at is null))
    and q.notification_id = a.id
), health as (
  insert into provider_health_changes (provider, period_start, handed_over, errors, delivered_in_time, failed)
  select case when provider = 'sandbox' and notification_type = 'email' then 'sandbox-email'
    else provider end, date_bin('10 seconds', sent_at, 'epoch'), 0, 0,
    count(*) filter (where status = 'delivered' and sent_at > $4),
    count(*) filter (where status like '%-failure')
  from after
  where $5::boolean and provider is not null and sent_at is not null and key_type <> 'test'
    and (status = 'delivered' and sent_at > $6 or status like '%-failure')
  group by 1, 2
), callbacks as (
  insert into service_callbacks (id, service_id, callback_type, subject_id, url, encrypted_bearer_token, body,
    due_at, created_at)
  select ($7::text || substr(replace(gen_random_uuid()::text, '-', ''), 14, 19))::uuid, a.service_id,
    target.callback_type, a.id, target.url, target.encrypted_bearer_token,
    case when a.language is null then payload.body
    else left(payload.body, -1) || ',"language":' || to_json(a.language)::text || '}' end, $8::timestamptz,
    $9::timestamptz
  from after a
  join service_callback_api target on target.service_id = a.service_id
    and target.callback_type = 'delivery_status'
  join services service on service.id = a.service_id
  cross join lateral (
    select a.id, a.client_reference as reference, a.recipient as "to", a.status,
      to_char(a.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
      to_char(a.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as completed_at,
      to_char(a.sent_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sent_at, a.notification_type, a.template_id,
      a.template_version
  ) as event
  cross join lateral (
    select event.*,
      coalesce('{"email":{"created":"In transit","sending":"In transit","pending":"In transit","delivered":"Delivered","technical-failure":"Tech issue","failed":"Failed","pending-virus-check":"In transit","sent":"Delivered","temporary-failure":"Content or inbox issue","permanent-failure":"No such address","virus-scan-failed":"Attachment has virus","pii-check-failed":"Exceeds Protected A"},"sms":{"created":"In transit","sending":"In transit","pending":"In transit","delivered":"Delivered","technical-failure":"Tech issue","failed":"Failed","sent":"Sent","temporary-failure":"Carrier issue","permanent-failure":"No such number","provider-failure":"No such number"},"letter":{}}'::jsonb #>> array[a.notification_type, a.status], a.status) as status_description, null::text as provider_response
  ) as gc_event
  cross join lateral (
    select case service.api_dialect when 'gc' then row_to_json(gc_event)
      else row_to_json(event) end::text as body
  ) as payload
  where a.notification_type <> 'letter' and a.status <> a.previous_status
    and (a.status = 'delivered' or a.status like '%-failure')
)
select id, service_id, notification_type, key_type, previous_status, status, provider, created_at, sent_at
from after
