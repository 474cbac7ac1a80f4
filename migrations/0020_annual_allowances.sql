-- Free text message fragments of a service in a financial year (named by the year it starts in).
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
