-- What decides stored keys: in which zone days were counted, in which currency amounts are, and which class of postage a slot
-- of usage is. Written at the first start and compared at every later one.
create table installation (
  -- There is one row.
  is_only boolean primary key default true check (is_only),
  -- The code of the profile that the seeds were those of.
  country text not null,
  zone text not null,
  currency text not null,
  -- The slot of each class: {"first": 1}.
  postage jsonb not null,
  chosen_at timestamptz not null,
  -- The whole profile of the latest start, to record what changed. Null: none was recorded yet.
  profile jsonb
);

-- Databases of earlier releases were made for the United Kingdom, so another country in the settings is noticed. An empty
-- database takes that country at its first start.
insert into installation (country, zone, currency, postage, chosen_at)
values (
  'gb', 'Europe/London', 'GBP', '{"first": 1, "second": 2, "economy": 3, "europe": 4, "rest-of-world": 5}', '2000-01-01T00:00:00Z'
);

-- When days began to be counted in another zone: `pennypost country change`.
create table zone_changes (
  -- The first day of the new zone. Counts of the days before it are partly or wholly of the old one.
  first_day date not null,
  old_zone text not null,
  new_zone text not null,
  changed_at timestamptz primary key
);

-- Every country has its own types of organisations. Requests are checked against those of the profile.
alter table organisations drop constraint organisations_organisation_type_check,
  add constraint organisations_organisation_type_check check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$');
alter table services drop constraint services_organisation_type_check,
  add constraint services_organisation_type_check check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$');
alter table default_allowances drop constraint default_allowances_organisation_type_check,
  add constraint default_allowances_organisation_type_check check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$');
