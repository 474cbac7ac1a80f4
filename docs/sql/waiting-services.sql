/* prepared: waiting-services */
with recursive found (lane, service_id, sequence) as ( (
  select q.lane, q.service_id, 1
  from delivery_queue q
  where q.notification_type = $1 and (q.lane, q.service_id) > ($2::smallint, $3::uuid)
  order by q.lane, q.service_id
  limit 1
) union all select next.lane, next.service_id, found.sequence + 1 from found cross join lateral (
  select q.lane, q.service_id
  from delivery_queue q
  where q.notification_type = $4 and (q.lane, q.service_id) > (found.lane, found.service_id)
  order by q.lane, q.service_id
  limit 1
) as next where found.sequence < $5::int )
select lane, service_id, (
  select q.due_at
  from delivery_queue q
  where q.notification_type = $6 and q.lane = found.lane and q.service_id = found.service_id
    and q.due_at <= $7
  order by q.due_at
  limit 1
) as oldest
from found
order by sequence
