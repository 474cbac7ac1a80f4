/* prepared: lease */
with clock as materialized (
  select now() as now
), picked as (
  select q.notification_id, q.service_id, q.due_at, q.attempts, q.provider, q.outcome_known
  from unnest($1::uuid[], $2::timestamptz[]) as requested (service_id, since)
  cross join lateral (
    select *
    from delivery_queue
    where notification_type = $3 and lane = $4::smallint and service_id = requested.service_id
      and due_at >= requested.since and due_at <= greatest($5::timestamptz, (select now from clock)) and
      case when leased_by is null then due_at <= $6::timestamptz else due_at <= (select now from clock)
      and (leased_by = $7 or due_at <= $8::timestamptz) end
    order by due_at
    limit $9::int
    for update skip locked
  ) as q
), message as (
  select p.notification_id as id, p.service_id, p.due_at, p.attempts, p.provider as last_provider,
    p.outcome_known, n.status, n.template_id, n.template_version, n.language, n.key_type, n.recipient,
    n.normalised_recipient, n.personalisation, n.secret_personalisation, n.reply_to_text, n.international,
    n.one_click_unsubscribe_url, n.scheduled_for, n.created_at, n.sent_at, n.job_id, case when p.attempts = 0
    and n.status = 'created'
    and n.key_type <> 'test' then drawn.names[1 + (row_number() over () - 1) % cardinality(drawn.names)] end as provider
  from picked p
  left join lateral (
    select *
    from notifications
    where id = p.notification_id
    limit 1
  ) as n on true
  cross join lateral (
    select case when n.international then $10::text[] else $11::text[] end as names
  ) as drawn
), leased as (
  update delivery_queue q
  set due_at = (select now from clock) + $12 * interval '1 ms', attempts = q.attempts + 1, leased_by = $13,
    provider = coalesce(m.provider, q.provider), outcome_known = m.provider is null and q.outcome_known
  from message m
  where q.notification_id = m.id and q.notification_id = any (array(select id from message))
)
select *, $14 as notification_type, $15::smallint as lane
from message
