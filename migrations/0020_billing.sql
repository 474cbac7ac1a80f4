-- A price has a start: a day is charged at the newest rate that began no later than its London midnight. In pounds, exact
-- decimals.
create table sms_rates (
  valid_from timestamptz primary key,
  rate numeric not null check (rate >= 0) -- per fragment
);

create table letter_rates (
  post_class text not null check (post_class ~ '^[a-z][a-z0-9-]{1,19}$'),
  sheet_count integer not null check (sheet_count > 0),
  start_date timestamptz not null,
  rate numeric not null check (rate >= 0), -- per letter
  primary key (post_class, sheet_count, start_date)
);

-- The price of a text to another country, in texts at home. Countries whose profile has a table of its own do not use it.
create table rates_abroad (
  -- A country calling code, or one with a region where several countries share it: 49, 1:JM.
  prefix text not null check (prefix ~ '^[1-9][0-9]{0,2}(:[A-Z]{2})?$'),
  valid_from timestamptz not null,
  -- Null: from then on there is no price.
  multiplier smallint check (multiplier between 1 and 1000),
  receipts boolean not null,
  numeric_sender boolean not null,
  primary key (prefix, valid_from)
);

-- Processes keep the whole table, so any change announces all of it.
create function announce_rates_abroad() returns trigger language plpgsql as $$
begin
  perform pg_notify('rates_abroad_changed', 'all');
  return null;
end
$$;
create trigger announce_change after insert or update or delete on rates_abroad
  for each statement execute function announce_rates_abroad();

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
  organisation_type text not null check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$'),
  valid_from_year integer not null,
  free_sms_fragment_limit integer not null check (free_sms_fragment_limit >= 0),
  primary key (organisation_type, valid_from_year)
);
