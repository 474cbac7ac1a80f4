-- A price has a start: a day is charged at the newest rate that began no later than its London midnight. In pounds, exact
-- decimals.
create table sms_rates (
  valid_from timestamptz primary key,
  rate numeric not null check (rate >= 0) -- per fragment
);

create table letter_rates (
  post_class text not null check (post_class in ('first', 'second', 'economy', 'europe', 'rest-of-world')),
  sheet_count integer not null check (sheet_count > 0),
  start_date timestamptz not null,
  rate numeric not null check (rate >= 0), -- per letter
  primary key (post_class, sheet_count, start_date)
);

-- Free text message fragments of a service in a financial year, which is named by the year in which it starts.
create table annual_allowances (
  service_id uuid not null references services,
  financial_year_start integer not null,
  free_sms_fragment_limit integer not null check (free_sms_fragment_limit >= 0),
  has_custom_allowance boolean not null default false,
  high_volume_service_last_year boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (service_id, financial_year_start)
);

-- The allowance of a year unless the service has its own: the newest row of the organisation type that is valid by then.
create table default_allowances (
  organisation_type text not null check (organisation_type in ('central', 'local', 'nhs_central', 'nhs_local', 'nhs_gp',
    'nhs_notify', 'emergency_service', 'school_or_college', 'other')),
  valid_from_year integer not null,
  free_sms_fragment_limit integer not null check (free_sms_fragment_limit >= 0),
  primary key (organisation_type, valid_from_year)
);
