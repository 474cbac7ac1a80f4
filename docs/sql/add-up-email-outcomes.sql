/* prepared: add-up-email-outcomes */
with taken as (
  delete from email_outcome_changes
  returning *
)
insert into email_outcomes
  as known (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints, judged)
select service_id, domain_id, hour, sum(sent), sum(hard_bounces), sum(soft_bounces), sum(complaints), false
from taken
group by 1, 2, 3
order by 1, 3, 2
on conflict (service_id, hour, domain_id) do update set sent = known.sent + excluded.sent,
  hard_bounces = known.hard_bounces + excluded.hard_bounces,
  soft_bounces = known.soft_bounces + excluded.soft_bounces,
  complaints = known.complaints + excluded.complaints, judged = false
