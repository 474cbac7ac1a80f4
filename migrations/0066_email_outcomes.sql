-- How emails of live and team keys ended, by the hour in which they were handed over: a late bounce or complaint meets the hour of its
-- own message, so a rate never exceeds 100%. Messages to test recipients and suppressed ones are not handed over, so not here.
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
