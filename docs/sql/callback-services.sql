/* prepared: callback-services */
with recursive found (service_id, place) as (
  select (
    select service_id
    from service_callbacks
    where status = 'waiting' and service_id > $1::uuid
    order by service_id
    limit 1
  ), 1
  union all
  select (
    select service_id
    from service_callbacks
    where status = 'waiting' and service_id > found.service_id
    order by service_id
    limit 1
  ), place + 1
  from found
  where service_id is not null and place < $2
)
select service_id, exists (
  select 1
  from service_callbacks c
  where c.status = 'waiting' and c.service_id = found.service_id
    and due_at <= greatest($3::timestamptz, now()) and case when attempts = 0 then due_at <= $4::timestamptz
    else coalesce("due_at" <= now(), true) end
) as due
from found
where service_id is not null
order by place
