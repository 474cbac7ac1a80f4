/* prepared: add-up-email-outcomes */
with taken as (
  delete from email_outcome_changes
  returning *
), sending as (
  select service_id, hour, domain_id, sent
  from taken
  where sent > 0
  union all
  select o.service_id, o.hour, o.domain_id, o.sent
  from (
    select distinct service_id, hour
    from taken
    where sent = 0
  ) reported
  join email_outcomes o on o.service_id = reported.service_id and o.hour = reported.hour and o.sent > 0
)
insert into email_outcomes
  as known (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints, judged)
select t.service_id, case when found.hour is null then t.domain_id else found.domain_id end, t.hour,
  sum(t.sent), sum(hard_bounces), sum(soft_bounces), sum(complaints), false
from taken t
left join lateral (
  select s.hour, s.domain_id
  from sending s
  where t.sent = 0 and s.service_id = t.service_id and s.hour = t.hour
  order by s.domain_id is not distinct from t.domain_id desc, s.sent desc, s.domain_id
  limit 1
) found on true
group by 1, 2, 3
order by 1, 3, 2
on conflict (service_id, hour, domain_id) do update set sent = known.sent + excluded.sent,
  hard_bounces = known.hard_bounces + excluded.hard_bounces,
  soft_bounces = known.soft_bounces + excluded.soft_bounces,
  complaints = known.complaints + excluded.complaints, judged = false
