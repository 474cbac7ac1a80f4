-- What a year's allowance is when nothing else decides: the newest row of the organisation type that is valid by then.
create table default_allowances (
  organisation_type text not null check (organisation_type in ('central', 'local', 'nhs_central', 'nhs_local', 'nhs_gp',
    'nhs_notify', 'emergency_service', 'school_or_college', 'other')),
  valid_from_year integer not null,
  free_sms_fragment_limit integer not null check (free_sms_fragment_limit >= 0),
  primary key (organisation_type, valid_from_year)
);

insert into default_allowances (organisation_type, valid_from_year, free_sms_fragment_limit) values
  ('central', 2016, 250000), ('central', 2021, 150000), ('central', 2022, 40000), ('central', 2024, 30000),
  ('central', 2026, 20000),
  ('nhs_central', 2016, 250000), ('nhs_central', 2021, 150000), ('nhs_central', 2022, 40000),
  ('nhs_central', 2024, 30000), ('nhs_central', 2026, 20000),
  ('local', 2016, 25000), ('local', 2022, 20000), ('local', 2024, 10000),
  ('nhs_local', 2016, 25000), ('nhs_local', 2022, 20000), ('nhs_local', 2024, 10000),
  ('emergency_service', 2016, 25000), ('emergency_service', 2022, 20000), ('emergency_service', 2024, 10000),
  ('nhs_gp', 2016, 25000), ('nhs_gp', 2021, 10000), ('nhs_gp', 2024, 0),
  ('school_or_college', 2016, 25000), ('school_or_college', 2021, 10000), ('school_or_college', 2024, 5000),
  ('other', 2016, 25000), ('other', 2021, 10000), ('other', 2024, 5000),
  ('nhs_notify', 2016, 0);
