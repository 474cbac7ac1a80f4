-- Totals of a service in one row per span instead of one per status or kind of letter: a report reads the same number of
-- rows however many messages lie behind them. Those of test keys are kept too, apart, and those of templates by month.
--
-- service_usage_totals, service_status_totals and monthly_usage are left for processes of the version before to read. They
-- can no longer fold: that would be missing here. Until such a process is restarted, its reports lack what is folded meanwhile.

-- A letter's place in service_usage_spans.letters: by sheets (0 to 5; 6 is more than is ever printed), then postage.
create function letter_kind(postage text, sheets integer) returns integer language sql immutable parallel safe
  return 5 * least(sheets, 6)
    + coalesce(array_position(array['first', 'second', 'economy', 'europe', 'rest-of-world'], postage), 2);

create table service_usage_spans (
  service_id uuid not null,
  span text not null check (span in ('month', 'pentad', 'day')),
  first_day date not null,
  sms_sent bigint not null,
  sms_chargeable_units bigint not null, -- fragments times their destination's factor
  emails_sent bigint not null,
  letters integer[] not null, -- how many of each kind
  primary key (service_id, span, first_day)
);
insert into service_usage_spans (service_id, span, first_day, sms_sent, sms_chargeable_units, emails_sent, letters)
select service_id, span, first_day,
  coalesce(sum(notifications_sent) filter (where notification_type = 'sms'), 0),
  coalesce(sum(chargeable_units) filter (where notification_type = 'sms'), 0),
  coalesce(sum(notifications_sent) filter (where notification_type = 'email'), 0),
  array(
    select coalesce(sum(kept.notifications_sent), 0)::integer
    from generate_series(1, 35) as kind
    left join service_usage_totals kept on kept.service_id = before.service_id and kept.span = before.span
      and kept.first_day = before.first_day and kept.notification_type = 'letter'
      and letter_kind(kept.postage, kept.sheets) = kind
    group by kind
    order by kind
  )
from service_usage_totals before
group by service_id, span, first_day;
create index service_usage_spans_span_idx on service_usage_spans (span, first_day);

create table service_status_spans (
  service_id uuid not null,
  span text not null check (span in ('month', 'pentad', 'day')),
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
insert into service_status_spans
select service_id, span, first_day, notification_type, of_test_keys,
  coalesce(sum(count) filter (where status = 'created'), 0),
  coalesce(sum(count) filter (where status = 'sending'), 0),
  coalesce(sum(count) filter (where status = 'sent'), 0),
  coalesce(sum(count) filter (where status = 'pending'), 0),
  coalesce(sum(count) filter (where status = 'delivered'), 0),
  coalesce(sum(count) filter (where status = 'failed'), 0),
  coalesce(sum(count) filter (where status = 'technical-failure'), 0),
  coalesce(sum(count) filter (where status = 'temporary-failure'), 0),
  coalesce(sum(count) filter (where status = 'permanent-failure'), 0),
  coalesce(sum(count) filter (where status = 'cancelled'), 0),
  coalesce(sum(count) filter (where status = 'pending-virus-check'), 0),
  coalesce(sum(count) filter (where status = 'validation-failed'), 0),
  coalesce(sum(count) filter (where status = 'virus-scan-failed'), 0),
  coalesce(sum(count) filter (where status = 'returned-letter'), 0)
from (
  select service_id, span, first_day, notification_type, false as of_test_keys, status, count from service_status_totals
  union all
  select service_id, span, first_day, notification_type, true, status, folded_count
  from daily_status_counts cross join lateral (values ('month', date_trunc('month', london_day::timestamp)::date),
    ('pentad', pentad_start(london_day)), ('day', london_day)) as spans (span, first_day)
  where key_type = 'test' and folded_count <> 0
) as counted
group by 1, 2, 3, 4, 5;
create index service_status_spans_span_idx on service_status_spans (span, first_day);

create table template_status_totals (
  service_id uuid not null,
  template_id uuid not null,
  month date not null,
  status text not null,
  count bigint not null,
  primary key (service_id, template_id, month, status)
);
insert into template_status_totals (service_id, template_id, month, status, count)
select service_id, template_id, date_trunc('month', london_day::timestamp)::date, status, sum(folded_count)
from daily_status_counts
where key_type <> 'test' and folded_count <> 0
group by 1, 2, 3, 4;

-- Without the constraint that its "on conflict" names, folding into the old tables fails as a whole.
alter table service_usage_totals drop constraint service_usage_totals_pkey;
alter table service_status_totals drop constraint service_status_totals_pkey;

-- What the totals of usage do not hold yet, in their form.
create view usage_not_folded as
  select london_day, service_id,
    case when notification_type = 'sms' then notifications_sent - folded_sent else 0 end as sms_sent,
    case when notification_type = 'sms' then (billable_units - folded_units) * rate_multiplier else 0 end
      as sms_chargeable_units,
    case when notification_type = 'email' then notifications_sent - folded_sent else 0 end as emails_sent,
    case when notification_type = 'letter' then array_fill(0, array[letter_kind(postage, sheets) - 1])
      || (notifications_sent - folded_sent)::integer || array_fill(0, array[35 - letter_kind(postage, sheets)])
      else array_fill(0, array[35]) end as letters
  from daily_usage where not folded;

-- Whole months, up to this moment.
create view service_months as
  select service_id, first_day as month, sms_sent, sms_chargeable_units, emails_sent,
    (select sum(kind) from unnest(letters) as kind) as letters_sent
  from service_usage_spans where span = 'month'
  union all
  select service_id, date_trunc('month', london_day::timestamp)::date, sms_sent, sms_chargeable_units, emails_sent,
    (select sum(kind) from unnest(letters) as kind)
  from usage_not_folded;

-- What the totals of statuses do not hold yet, in their form.
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
  from daily_status_counts where not folded;

-- One service's figures that no total holds yet, without those of all others.
create index daily_usage_of_service_not_folded_idx on daily_usage (service_id, london_day) where not folded;
create index daily_status_counts_of_service_not_folded_idx on daily_status_counts (service_id, london_day)
  where not folded;
