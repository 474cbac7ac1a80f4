-- What people were told about a limit that is nearly or wholly used: once for each day or year, and level.
create table limit_notices (
  owner_kind text not null check (owner_kind in ('service', 'organisation')),
  owner_id uuid not null,
  channel text not null check (channel in ('sms', 'email', 'letter', 'international_sms')),
  period text not null check (period in ('day', 'year')),
  -- The day, or the first day of the financial year.
  period_start date not null,
  -- Percent of the limit.
  level integer not null check (level in (80, 100)),
  sent_at timestamptz not null,
  primary key (owner_kind, owner_id, channel, period, period_start, level)
);
