/* prepared: add-up-usage */
with taken as (
  delete from usage_changes
  returning *
)
insert into daily_usage
  as usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier, international,
  postage, sheets, billable_units, notifications_sent)
select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international,
  postage, sheets, sum(billable_units), sum(notifications_sent)
from taken
group by 1, 2, 3, 4, 5, 6, 7, 8, 9
having sum(billable_units) <> 0 or sum(notifications_sent) <> 0
order by 2, 1, 4, 3, 5, 6, 7, 8, 9
on conflict (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international,
  postage, sheets) do update set billable_units = usage.billable_units + excluded.billable_units,
  notifications_sent = usage.notifications_sent + excluded.notifications_sent, folded = false
