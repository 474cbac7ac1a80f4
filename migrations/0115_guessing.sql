-- Wrong passwords and wrong codes in a row. Each is reset only by a right one of its own kind; failed_login_count goes on
-- counting both together, as the API shows it.
alter table users
  add column failed_password_count integer not null default 0,
  add column failed_code_count integer not null default 0,
  add column passwords_refused_until timestamptz;
