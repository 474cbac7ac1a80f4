create table unsubscribe_requests (
  id uuid primary key,
  service_id uuid not null references services,
  notification_id uuid not null constraint unsubscribe_requests_notification_id_key unique,
  template_id uuid not null,
  template_version integer not null,
  email_address text not null,
  created_at timestamptz not null
);
create index unsubscribe_requests_service_id_idx on unsubscribe_requests (service_id, id desc);
