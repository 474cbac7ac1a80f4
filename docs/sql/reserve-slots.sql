/* prepared: reserve-slots */
insert into provider_slots as p (provider, next_at, granted)
select $1, to_timestamp((now_ms + n * $2::float8) / 1000), n
from (
  select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
) as clock, (
  select least($3::int, ceil($4::float8 / $5::float8)::int) as n
) as first_grant
on conflict (provider) do update set (next_at, granted) = (
  select to_timestamp((start_ms + n * $6::float8) / 1000), n
  from (
    select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
  ) as clock
  cross join lateral (
    select least(greatest(extract(epoch from p.next_at)::float8 * 1000, now_ms),
      now_ms + $7::float8 + $8::float8) as start_ms
  ) as free
  cross join lateral (
    select greatest(0, least($9::int, ceil((now_ms + $10::float8 - start_ms) / $11::float8)::int)) as n
  ) as next_grant
)
returning granted, extract(epoch from next_at - clock_timestamp())::float8 * 1000 as end_in_ms
