-- Recipients who reported a message to their mail provider as unwanted. Type and date are as reported.
create table complaints (
  id uuid primary key,
  notification_id uuid not null,
  service_id uuid not null references services,
  ses_feedback_id text,
  complaint_type text,
  complaint_date timestamptz,
  created_at timestamptz not null
);
create index complaints_created_at_idx on complaints (created_at desc, id desc);
create index complaints_service_id_idx on complaints (service_id);
