-- Totals over the daily rollups, so that a report costs the same however many messages, templates and days lie behind it.
--
-- A rollup row is folded: what it counts is added to the totals, and the row remembers how much of it they hold. A change
-- afterwards only marks the row as not folded, so writers touch no total and never wait for each other. Totals plus the
-- rows not folded (what they count beyond what was folded) are exact at every moment: both change in one transaction.

alter table daily_usage
  add column folded boolean not null default false,
  add column folded_units bigint not null default 0,
  add column folded_sent bigint not null default 0;
alter table daily_status_counts
  add column folded boolean not null default false,
  add column folded_count bigint not null default 0;
-- On a column that a counting update leaves alone, so that those updates stay cheap (heap-only).
create index daily_usage_not_folded_idx on daily_usage (london_day) where not folded;
create index daily_status_counts_not_folded_idx on daily_status_counts (london_day) where not folded;

-- Days 1-5, 6-10, 11-15, 16-20, 21-25 and 26 to the end of a month: what a range that begins or ends inside a month is
-- put together from, besides whole months and at most five days at each end.
create function pentad_start(day date) returns date language sql immutable parallel safe
  return date_trunc('month', day::timestamp)::date + 5 * least((extract(day from day)::integer - 1) / 5, 5);

-- Billable usage of a service in a month, a pentad or a day; templates, providers and destinations are summed up.
create table service_usage_totals (
  service_id uuid not null,
  span text not null check (span in ('month', 'pentad', 'day')),
  first_day date not null,
  notification_type text not null,
  postage text not null,
  sheets smallint not null,
  billable_units bigint not null,
  chargeable_units bigint not null, -- units times their destination's factor
  notifications_sent bigint not null,
  primary key (service_id, span, first_day, notification_type, postage, sheets)
);
create index service_usage_totals_first_day_idx on service_usage_totals (span, first_day, notification_type);

-- Notifications of a service in a month, a pentad or a day by status; never test keys.
create table service_status_totals (
  service_id uuid not null,
  span text not null check (span in ('month', 'pentad', 'day')),
  first_day date not null,
  notification_type text not null,
  status text not null,
  count bigint not null,
  primary key (service_id, span, first_day, notification_type, status)
);
create index service_status_totals_first_day_idx on service_status_totals (span, first_day);

-- The same of all services together, by day.
create table platform_usage_totals (
  london_day date not null,
  notification_type text not null,
  provider text not null,
  rate_multiplier smallint not null,
  billable_units bigint not null,
  notifications_sent bigint not null,
  primary key (london_day, notification_type, provider, rate_multiplier)
);

create table platform_status_totals (
  london_day date not null,
  notification_type text not null,
  status text not null,
  count bigint not null,
  primary key (london_day, notification_type, status)
);

-- Whole months, up to this moment.
create view monthly_usage as
  select service_id, first_day as month, notification_type, postage, sheets, billable_units, chargeable_units,
    notifications_sent
  from service_usage_totals where span = 'month'
  union all
  select service_id, date_trunc('month', london_day::timestamp)::date, notification_type, postage, sheets,
    billable_units - folded_units, (billable_units - folded_units) * rate_multiplier, notifications_sent - folded_sent
  from daily_usage where not folded;
