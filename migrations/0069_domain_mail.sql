-- How many emails of a sending domain each mailbox provider gets, and how many were refused because of the domain or its servers. In all of
-- these tables, no domain means that of the installation.
create table domain_volumes (
  domain_id uuid references sending_domains (id),
  day date not null,
  mailbox text not null check (mailbox in ('google', 'yahoo', 'microsoft', 'other')),
  count bigint not null,
  constraint domain_volumes_key unique nulls not distinct (domain_id, day, mailbox)
);
create index domain_volumes_day_idx on domain_volumes (day);

create table domain_refusals (
  domain_id uuid references sending_domains (id),
  hour timestamptz not null,
  -- The enhanced status code without its first digit.
  code text not null,
  count bigint not null,
  constraint domain_refusals_key unique nulls not distinct (domain_id, hour, code)
);
create index domain_refusals_hour_idx on domain_refusals (hour);

-- Appended by every batch of results, without a key, so that no commit waits for another; added up every second.
create table domain_mail_changes (
  domain_id uuid,
  hour timestamptz not null,
  mailbox text,
  refused_with text,
  count bigint not null,
  check ((mailbox is null) <> (refused_with is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
