/* prepared: extend-leases */
with extended as (
  update delivery_queue
  set due_at = now() + $1 * interval '1 ms'
  where notification_id = any ($2::uuid[]) and leased_by = $3
  returning notification_id
)
select array(select notification_id::text from extended) as ids,
  extract(epoch from now())::float8 * 1000 as now_ms
