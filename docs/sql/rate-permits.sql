/* prepared: rate-permits */
select r.service_id, r.key_type, taken.granted, taken.used, taken.oldest_slot
from (
  select *
  from json_to_recordset($1::json)
    as r (service_id uuid, key_type text, already int, waiting int, request_limit int)
  order by service_id, key_type
) as r
cross join lateral take_rate_permits(r.service_id, r.key_type, $2::bigint, $3::int, r.already, r.waiting,
  r.request_limit) as taken
