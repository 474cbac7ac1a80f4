-- Reports that a service downloads to remove recipients from its own lists, and marks when it has done so.
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

create table unsubscribe_requests (
  id uuid primary key,
  service_id uuid not null references services,
  notification_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  email_address text not null,
  report_id uuid references unsubscribe_reports on delete cascade,
  -- A second request counts once the service has marked the first as processed.
  processed boolean not null default false,
  created_at timestamptz not null,
  job_id uuid
);
create index unsubscribe_requests_service_id_idx on unsubscribe_requests (service_id, id desc);
create index unsubscribe_requests_report_id_idx on unsubscribe_requests (report_id);
create unique index unsubscribe_requests_notification_id_key on unsubscribe_requests (notification_id) where not processed;
