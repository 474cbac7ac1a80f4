-- Receipts whose ids belong to no message, counted when they are given up. Many of them mean that ids are read in the wrong format.
alter table provider_health add column unmatched integer not null default 0;
alter table provider_health_changes add column unmatched integer not null default 0;

create or replace view provider_health_counts as
  select provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched from provider_health
  union all
  select provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched from provider_health_changes;
