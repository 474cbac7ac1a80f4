-- Most services send few of the 35 kinds of letters: reports read those they send, not 35 places of which 30 are zero.

create function places_that_count(numbers integer[]) returns integer[] language sql immutable parallel safe
  return array(
    select place::integer from unnest(numbers) with ordinality as counted (number, place) where number <> 0 order by place
  );

alter table service_usage_spans
  -- The kinds there are any of, and how many of each.
  add column letter_kinds integer[] not null generated always as (places_that_count(letters)) stored,
  add column letter_counts integer[] not null generated always as (array_remove(letters, 0)) stored;

create or replace view usage_not_folded as
  select london_day, service_id,
    case when notification_type = 'sms' then notifications_sent - folded_sent else 0 end as sms_sent,
    case when notification_type = 'sms' then (billable_units - folded_units) * rate_multiplier else 0 end
      as sms_chargeable_units,
    case when notification_type = 'email' then notifications_sent - folded_sent else 0 end as emails_sent,
    case when notification_type = 'letter' then array_fill(0, array[letter_kind(postage, sheets) - 1])
      || (notifications_sent - folded_sent)::integer || array_fill(0, array[35 - letter_kind(postage, sheets)])
      else array_fill(0, array[35]) end as letters,
    case when notification_type = 'letter' then array[letter_kind(postage, sheets)] else '{}' end as letter_kinds,
    case when notification_type = 'letter' then array[(notifications_sent - folded_sent)::integer] else '{}' end
      as letter_counts
  from daily_usage where not folded;

-- sum(bigint) counts in numeric, which takes longer than all the rest of a report.
create aggregate total(bigint) (
  sfunc = int8pl, stype = bigint, initcond = '0', combinefunc = int8pl, parallel = safe
);
