-- Figures are never counted by scanning messages: these two tables change in the transactions that change a status.

-- How many notifications of a London day (of acceptance) are in each status now.
create table daily_status_counts (
  london_day date not null,
  service_id uuid not null,
  template_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  status text not null,
  count bigint not null,
  primary key (service_id, london_day, notification_type, key_type, status, template_id)
);
create index daily_status_counts_london_day_idx on daily_status_counts (london_day);

-- What is billable (never test keys). Rates are not stored: they follow from the day, so a rate added later counts.
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
  primary key (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international,
    postage, sheets)
);
create index daily_usage_london_day_idx on daily_usage (london_day);
