-- Files that are part of an email, stored until its message is final. Each is encrypted with a key of its own, which is among the
-- secret values of the message.
create table attachments (
  id uuid primary key,
  service_id uuid not null,
  notification_id uuid not null
);
create index attachments_notification_id_idx on attachments (notification_id);
