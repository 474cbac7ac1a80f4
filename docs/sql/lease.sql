/* prepared: lease */
with clock as materialized (
  select now() as now, now() + $1 * interval '1 ms' as lease_end
), picked as (
  select q.notification_id, q.service_id, q.due_at, q.attempts, q.provider, q.outcome_known
  from unnest($2::uuid[], $3::timestamptz[]) as requested (service_id, since)
  cross join lateral (
    select *
    from delivery_queue
    where notification_type = $4 and lane = $5::smallint and service_id = requested.service_id
      and due_at >= requested.since and due_at <= greatest($6::timestamptz, (select now from clock)) and
      case when leased_by is null then due_at <= $7::timestamptz else due_at <= (select now from clock)
      and (leased_by = $8 or due_at <= $9::timestamptz) end
    order by due_at
    limit $10::int
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
    select case when n.international then $11::text[] else $12::text[] end as names
  ) as drawn
), leased as (
  update delivery_queue q
  set due_at = (select lease_end from clock), attempts = q.attempts + 1, leased_by = $13,
    provider = coalesce(m.provider, q.provider), outcome_known = m.provider is null and q.outcome_known
  from message m
  where q.notification_id = m.id and q.notification_id = any (array(select id from message))
)
select *, $14 as notification_type, $15::smallint as lane
from message
