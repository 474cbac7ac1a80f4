/* prepared: add-up-health */
with taken as (
  delete from provider_health_changes
  returning *
)
insert into provider_health
  as health (provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched)
select provider, period_start, sum(handed_over), sum(errors), sum(delivered_in_time), sum(failed),
  sum(unmatched)
from taken
group by 1, 2
order by 2, 1
on conflict (period_start, provider) do update set handed_over = health.handed_over + excluded.handed_over,
  errors = health.errors + excluded.errors,
  delivered_in_time = health.delivered_in_time + excluded.delivered_in_time,
  failed = health.failed + excluded.failed, unmatched = health.unmatched + excluded.unmatched
