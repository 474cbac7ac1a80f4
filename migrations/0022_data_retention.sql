-- How long a service keeps messages of a type; no row: 7 days.
create table service_data_retention (
  id uuid primary key,
  service_id uuid not null references services,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  days_of_retention integer not null check (days_of_retention >= 0),
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint service_data_retention_type_key unique (service_id, notification_type)
);
create trigger announce_change after insert or update or delete on service_data_retention
  for each row execute function announce_service_change();
