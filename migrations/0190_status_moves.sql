-- A status change appends one row that says from which status to which, not one row for each of the two. Messages that were
-- accepted have no status before.
alter table status_count_changes add column previous_status text;

create or replace view status_counts as
  select london_day, service_id, template_id, notification_type, key_type, status, count, folded, folded_count
  from daily_status_counts
  union all
  select c.london_day, c.service_id, c.template_id, c.notification_type, c.key_type, side.status, side.change, false, 0
  from status_count_changes c
  cross join lateral (values (c.status, c.change), (c.previous_status, -c.change)) as side (status, change)
  where side.status is not null;
