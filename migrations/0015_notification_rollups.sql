-- Statistics are never counted by scanning messages. Three levels, which together are exact at every moment:
--
-- 1. Changes. A commit that accepts messages or changes statuses appends rows and updates none, so that no two commits wait
--    for each other, however much one service sends.
-- 2. Daily rollups. A task adds the changes to them every second or two.
-- 3. Totals of longer spans, so that a report costs the same however many messages, templates and days it covers. A rollup
--    row is folded: its counts are added to the totals, and the row records how much of it they contain. A later change only
--    marks the row as not folded, so it touches no total.

-- How many notifications of a London day (of acceptance) are in each status now.
create table daily_status_counts (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  status text not null,
  count bigint not null,
  folded boolean not null default false,
  folded_count bigint not null default 0,
  primary key (service_id, london_day, notification_type, key_type, status, template_id)
);
create index daily_status_counts_london_day_idx on daily_status_counts (london_day);
-- On columns that a counting update does not change, so that those updates stay cheap (heap-only).
create index daily_status_counts_not_folded_idx on daily_status_counts (london_day) where not folded;
create index daily_status_counts_of_service_not_folded_idx on daily_status_counts (service_id, london_day)
  where not folded;

-- Billable usage (never of test keys). Rates are not stored: they follow from the day, so a rate added later applies.
create table daily_usage (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  provider text not null,
  rate_multiplier smallint not null,
  international boolean not null,
  postage text not null, -- 'none' unless a letter
  sheets smallint not null, -- per letter; 0 unless a letter
  billable_units bigint not null,
  notifications_sent bigint not null,
  folded boolean not null default false,
  folded_units bigint not null default 0,
  folded_sent bigint not null default 0,
  primary key (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international,
    postage, sheets)
);
create index daily_usage_london_day_idx on daily_usage (london_day);
create index daily_usage_not_folded_idx on daily_usage (london_day) where not folded;
create index daily_usage_of_service_not_folded_idx on daily_usage (service_id, london_day) where not folded;

-- Changes have no key and no index: rows are only added, and taken all together. A status change is one row with both
-- statuses; accepted messages have no previous status.
create table status_count_changes (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null,
  key_type text not null,
  status text not null,
  previous_status text,
  change bigint not null,
  job_id uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create table usage_changes (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null,
  provider text not null,
  rate_multiplier smallint not null,
  international boolean not null,
  postage text not null,
  sheets smallint not null,
  billable_units bigint not null,
  notifications_sent bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Daily rollups up to this moment; several rows may have one key.
create view status_counts as
  select london_day, service_id, template_id, notification_type, key_type, status, count, folded, folded_count
  from daily_status_counts
  union all
  select c.london_day, c.service_id, c.template_id, c.notification_type, c.key_type, side.status, side.change, false, 0
  from status_count_changes c
  cross join lateral (values (c.status, c.change), (c.previous_status, -c.change)) as side (status, change)
  where side.status is not null;

create view usage_counts as
  select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage, sheets,
    billable_units, notifications_sent, folded, folded_units, folded_sent
  from daily_usage
  union all
  select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage, sheets,
    billable_units, notifications_sent, false, 0, 0
  from usage_changes;

-- Days 1-5, 6-10, 11-15, 16-20, 21-25 and 26 to the end of a month. A range that begins or ends inside a month is composed
-- of these, besides whole months and at most five days at each end.
create function five_days_start(day date) returns date language sql immutable parallel safe
  return date_trunc('month', day::timestamp)::date + 5 * least((extract(day from day)::integer - 1) / 5, 5);

-- Counting a letter under the slot of another class would bill it at the wrong price without an error.
create function unknown_postage(postage text) returns integer language plpgsql immutable parallel safe as $$
begin
  raise exception 'No slot for the postage class %', coalesce(postage, 'null');
end
$$;

-- The index of a letter in service_usage_spans.letters: by sheets (0 to 5; 6 is more than is ever printed), then postage. It is
-- immutable, so it cannot read a table: the process that chooses the country replaces it with the list of the country
-- (src/notifications/rollups/letter-kind.shared.sql.ts).
create function letter_kind(postage text, sheets integer) returns integer language sql immutable parallel safe
  return 5 * least(sheets, 6)
    + coalesce(array_position(array['first', 'second', 'economy', 'europe', 'rest-of-world'], postage),
      unknown_postage(postage));

create function places_that_count(numbers integer[]) returns integer[] language sql immutable parallel safe
  return array(
    select place::integer from unnest(numbers) with ordinality as counted (number, place) where number <> 0 order by place
  );

-- Billable usage of a service in a month, five days or a day, in one row per span: a report reads the same number of rows
-- however many messages they count.
create table service_usage_spans (
  service_id uuid not null,
  span text not null check (span in ('month', 'five_days', 'day')),
  first_day date not null,
  sms_sent bigint not null,
  sms_chargeable_units bigint not null, -- fragments times their destination's factor
  emails_sent bigint not null,
  letters integer[] not null, -- how many of each kind
  -- The kinds with letters, and how many of each. Most services send few of the 35 kinds: reports read those few.
  letter_kinds integer[] not null generated always as (places_that_count(letters)) stored,
  letter_counts integer[] not null generated always as (array_remove(letters, 0)) stored,
  primary key (service_id, span, first_day)
);
create index service_usage_spans_span_idx on service_usage_spans (span, first_day);

-- Notifications of a service in a month, five days or a day by status; those of test keys apart.
create table service_status_spans (
  service_id uuid not null,
  span text not null check (span in ('month', 'five_days', 'day')),
  first_day date not null,
  notification_type text not null,
  of_test_keys boolean not null,
  created bigint not null,
  sending bigint not null,
  sent bigint not null,
  pending bigint not null,
  delivered bigint not null,
  failed bigint not null,
  technical_failure bigint not null,
  temporary_failure bigint not null,
  permanent_failure bigint not null,
  cancelled bigint not null,
  pending_virus_check bigint not null,
  validation_failed bigint not null,
  virus_scan_failed bigint not null,
  returned_letter bigint not null,
  primary key (service_id, span, first_day, notification_type, of_test_keys)
);
create index service_status_spans_span_idx on service_status_spans (span, first_day);

create table template_status_totals (
  service_id uuid not null,
  template_id uuid not null,
  month date not null,
  status text not null,
  count bigint not null,
  primary key (service_id, template_id, month, status)
);

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

-- Usage that the totals do not contain yet, in their form.
create view usage_not_folded as
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
  from usage_counts where not folded;

-- Whole months, up to this moment.
create view service_months as
  select service_id, first_day as month, sms_sent, sms_chargeable_units, emails_sent,
    (select sum(kind) from unnest(letters) as kind) as letters_sent
  from service_usage_spans where span = 'month'
  union all
  select service_id, date_trunc('month', london_day::timestamp)::date, sms_sent, sms_chargeable_units, emails_sent,
    (select sum(kind) from unnest(letters) as kind)
  from usage_not_folded;

-- Statuses that the totals do not contain yet, in their form.
create view status_counts_not_folded as
  select london_day, service_id, notification_type, key_type = 'test' as of_test_keys,
    case when status = 'created' then count - folded_count else 0 end as created,
    case when status = 'sending' then count - folded_count else 0 end as sending,
    case when status = 'sent' then count - folded_count else 0 end as sent,
    case when status = 'pending' then count - folded_count else 0 end as pending,
    case when status = 'delivered' then count - folded_count else 0 end as delivered,
    case when status = 'failed' then count - folded_count else 0 end as failed,
    case when status = 'technical-failure' then count - folded_count else 0 end as technical_failure,
    case when status = 'temporary-failure' then count - folded_count else 0 end as temporary_failure,
    case when status = 'permanent-failure' then count - folded_count else 0 end as permanent_failure,
    case when status = 'cancelled' then count - folded_count else 0 end as cancelled,
    case when status = 'pending-virus-check' then count - folded_count else 0 end as pending_virus_check,
    case when status = 'validation-failed' then count - folded_count else 0 end as validation_failed,
    case when status = 'virus-scan-failed' then count - folded_count else 0 end as virus_scan_failed,
    case when status = 'returned-letter' then count - folded_count else 0 end as returned_letter
  from status_counts where not folded;

-- How many notifications of a job are in each status now. Like the other rollups it is added up from appended changes.
create table job_status_counts (
  job_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (job_id, status)
);

-- Up to this moment; several rows may have one key.
create view job_statuses as
  select job_id, status, count from job_status_counts
  union all
  select c.job_id, side.status, side.change
  from status_count_changes c
  cross join lateral (values (c.status, c.change), (c.previous_status, -c.change)) as side (status, change)
  where c.job_id is not null and side.status is not null;

-- Results of emails of live and team keys, by the hour in which they were handed over: a late bounce or complaint meets the hour of
-- its own message, so a rate never exceeds 100%. Messages to test recipients and suppressed ones are not handed over, so not here.
create table email_outcomes (
  service_id uuid not null references services (id),
  -- The sending domain of the service; null: that of the installation.
  domain_id uuid,
  hour timestamptz not null,
  sent bigint not null,
  hard_bounces bigint not null,
  soft_bounces bigint not null,
  complaints bigint not null,
  -- Whether the guard has seen these figures.
  judged boolean not null,
  constraint email_outcomes_key unique nulls not distinct (service_id, hour, domain_id)
);
create index email_outcomes_hour_idx on email_outcomes (hour);
create index email_outcomes_not_judged_idx on email_outcomes (service_id) where not judged;

-- Appended by every batch of results, without a key, so that no commit waits for another; added up every second.
create table email_outcome_changes (
  service_id uuid not null,
  domain_id uuid,
  hour timestamptz not null,
  sent bigint not null,
  hard_bounces bigint not null,
  soft_bounces bigint not null,
  complaints bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Outcomes up to this moment; several rows may have one hour.
create view email_outcome_counts as
  select service_id, hour, sent, hard_bounces, complaints from email_outcomes
  union all
  select service_id, hour, sent, hard_bounces, complaints from email_outcome_changes;
