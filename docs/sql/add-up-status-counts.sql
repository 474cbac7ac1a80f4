/* prepared: add-up-status-counts */
with taken as (
  delete from status_count_changes
  returning *
), side as (
  select london_day, service_id, template_id, notification_type, key_type, status, job_id, change
  from taken
  union all
  select london_day, service_id, template_id, notification_type, key_type, previous_status, job_id, -change
  from taken
  where previous_status is not null
), of_jobs as (
  insert into job_status_counts as counts (job_id, status, count)
  select job_id, status, sum(change)
  from side
  where job_id is not null
  group by 1, 2
  having sum(change) <> 0
  order by 1, 2
  on conflict (job_id, status) do update set count = counts.count + excluded.count
)
insert into daily_status_counts
  as counts (london_day, service_id, template_id, notification_type, key_type, status, count)
select london_day, service_id, template_id, notification_type, key_type, status, sum(change)
from side
group by 1, 2, 3, 4, 5, 6
having sum(change) <> 0
order by 2, 1, 4, 5, 6, 3
on conflict (service_id, london_day, notification_type, key_type, status,
  template_id) do update set count = counts.count + excluded.count, folded = false
