-- What a service downloads to strike people off its own lists, and marks when it has done so.
create table unsubscribe_reports (
  id uuid primary key,
  service_id uuid not null references services,
  count integer not null,
  earliest_timestamp timestamptz not null,
  latest_timestamp timestamptz not null,
  processed_by_service_at timestamptz,
  created_at timestamptz not null
);
create index unsubscribe_reports_service_id_idx on unsubscribe_reports (service_id, id desc);

alter table unsubscribe_requests
  add column report_id uuid references unsubscribe_reports on delete cascade,
  -- Asking again counts again once the service says that it has dealt with the first time.
  add column processed boolean not null default false,
  drop constraint unsubscribe_requests_notification_id_key;
create index unsubscribe_requests_report_id_idx on unsubscribe_requests (report_id);
create unique index unsubscribe_requests_notification_id_key on unsubscribe_requests (notification_id) where not processed;
