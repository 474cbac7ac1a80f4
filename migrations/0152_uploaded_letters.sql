-- Letters whose id was chosen by who uploaded them. Inside, a message keeps an id that ascends with time; at the door it is
-- called by the one that was chosen. Each service has ids of its own: the same one in two services is two letters.
create table uploaded_letters (
  service_id uuid not null references services,
  file_id uuid not null,
  notification_id uuid not null constraint uploaded_letters_notification_id_key unique,
  created_at timestamptz not null,
  primary key (service_id, file_id)
);
create index uploaded_letters_file_id_idx on uploaded_letters (file_id);
