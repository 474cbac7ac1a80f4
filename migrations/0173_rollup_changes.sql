-- Counting appends: a commit that accepts messages or changes statuses adds rows here and updates none, so that no two of
-- them wait for each other, however much one service sends. A task adds them up into the daily rollups every second or two.
-- The rollups plus these rows are exact at every moment. No key and no index: rows are only ever added, and taken all
-- together.
create table status_count_changes (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null,
  key_type text not null,
  status text not null,
  change bigint not null
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

create table provider_health_changes (
  provider text not null,
  period_start timestamptz not null,
  handed_over integer not null,
  errors integer not null,
  delivered_in_time integer not null,
  failed integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Up to this moment; several rows may have one key.
create view status_counts as
  select london_day, service_id, template_id, notification_type, key_type, status, count, folded, folded_count
  from daily_status_counts
  union all
  select london_day, service_id, template_id, notification_type, key_type, status, change, false, 0
  from status_count_changes;

create view usage_counts as
  select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage, sheets,
    billable_units, notifications_sent, folded, folded_units, folded_sent
  from daily_usage
  union all
  select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage, sheets,
    billable_units, notifications_sent, false, 0, 0
  from usage_changes;

create view provider_health_counts as
  select provider, period_start, handed_over, errors, delivered_in_time, failed from provider_health
  union all
  select provider, period_start, handed_over, errors, delivered_in_time, failed from provider_health_changes;

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
  from usage_counts where not folded;

create or replace view status_counts_not_folded as
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
