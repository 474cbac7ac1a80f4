-- A file of recipients, as it was read. It is checked against a template, then sent as a job or saved as a contact list, which
-- keep its id.
create table uploads (
  id uuid primary key,
  service_id uuid not null references services,
  -- receiving: rows are still being stored; unless it is checked soon after, its sender has gone, and it is deleted.
  state text not null check (state in ('receiving', 'checked', 'sent', 'saved')),
  original_file_name text not null,
  -- Of csv and tsv.
  encoding text,
  -- The first record: {"names": [...], "width": n}.
  header json not null,
  row_count integer not null default 0,
  -- SHA-256 of the bytes: tells whether the same file was sent before.
  digest text,
  -- To be saved as a contact list; then it has no template.
  is_contact_list boolean not null default false,
  -- The contact list that it is a copy of.
  contact_list_id uuid,
  -- What it was checked against. The key decides about allowed recipients and limits.
  template_id uuid,
  template_version integer,
  sender_id uuid,
  key_type text not null default 'normal' check (key_type in ('normal', 'team', 'test')),
  api_key_id uuid,
  -- The latest check. While it runs, the summary is null; an older one stops.
  check_id uuid,
  -- The result of the check: counts, problems and the rows to show.
  summary json,
  created_at timestamptz not null
);
create index uploads_created_at_idx on uploads (created_at) where state in ('receiving', 'checked');

-- Up to 500 rows of an upload. A chunk is turned into notifications in one transaction, which also sets `expanded_at`: the rows
-- are notifications, or `expanded_at` is null.
create table upload_chunks (
  upload_id uuid not null references uploads on delete cascade,
  first_row integer not null, -- from 0
  row_count integer not null,
  -- JSON as text, compressed by the server and never searched. All cells of the rows, as in the file.
  cells text not null,
  -- What each row's notification needs; null for a row with a problem.
  messages text,
  -- The rows with problems.
  problems text,
  problem_count integer not null default 0,
  -- Rows without problems that count towards the international limit.
  abroad_count integer not null default 0,
  expanded_at timestamptz,
  primary key (upload_id, first_row)
);

-- A file sent through one template. It outlives its rows and its notifications.
create table jobs (
  id uuid primary key, -- of the upload
  service_id uuid not null references services,
  template_id uuid not null,
  template_version integer not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  original_file_name text not null,
  status text not null check (status in ('pending', 'scheduled', 'in progress', 'finished all notifications created',
    'sending limits exceeded', 'cancelled', 'error')),
  cancelled_because text,
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  api_key_id uuid,
  created_by_id uuid,
  sender_id uuid,
  -- The sender, reply-to address or contact block of every row, chosen when the job starts.
  reply_to_text text,
  contact_list_id uuid,
  -- Default of rows without their own.
  client_reference text,
  row_count integer not null,
  -- Rows that are notifications, and rows with problems that were left out.
  rows_done integer not null default 0,
  rows_skipped integer not null default 0,
  -- Messages counted towards the limits of this day, and how many of them are not notifications yet.
  reserved_day date,
  reserved integer not null default 0,
  reserved_international integer not null default 0,
  lane smallint, -- null for letters
  scheduled_for timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  processing_started timestamptz,
  processing_finished timestamptz,
  -- Its rows were deleted.
  archived boolean not null default false
);
create index jobs_of_service_idx on jobs (service_id, processing_started desc nulls first, created_at desc);
create index jobs_of_keys_idx on jobs (service_id, key_type, id desc) where api_key_id is not null;
create index jobs_scheduled_idx on jobs (scheduled_for) where status = 'scheduled';
create index jobs_unfinished_idx on jobs (service_id) where status in ('pending', 'in progress');
create index jobs_with_rows_idx on jobs (service_id, notification_type, (coalesce(scheduled_for, created_at)))
  where not archived;
create index jobs_contact_list_id_idx on jobs (contact_list_id) where contact_list_id is not null;

-- A saved file with one column of recipients. Its rows are the chunks of the upload with the same id.
create table contact_lists (
  id uuid primary key,
  service_id uuid not null references services,
  original_file_name text not null,
  row_count integer not null,
  template_type text not null check (template_type in ('sms', 'email')),
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  archived boolean not null default false
);
create index contact_lists_service_id_idx on contact_lists (service_id, created_at desc) where not archived;

create table report_requests (
  id uuid primary key,
  service_id uuid not null references services,
  user_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  notification_status text not null check (notification_status in ('all', 'sending', 'delivered', 'failed')),
  status text not null check (status in ('pending', 'in progress', 'stored', 'failed', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz
);
create index report_requests_service_id_idx on report_requests (service_id, user_id, created_at desc);
create index report_requests_created_at_idx on report_requests (created_at);

alter table notifications add column job_id uuid, add column job_row_number integer;
create index notifications_job_id_idx on notifications (job_id, job_row_number) where job_id is not null;
-- Two in place of one: a list without the messages of jobs must not read a hundred thousand of them, and each message is in one
-- index as before.
create index notifications_single_idx on notifications (service_id, id desc) where job_id is null;
create index notifications_of_jobs_idx on notifications (service_id, id desc) where job_id is not null;
drop index notifications_service_id_idx;
-- Letters sent from the front end: few, so that those of a service are found without reading its other messages.
create index notifications_letters_by_hand_idx on notifications (service_id, id)
  where notification_type = 'letter' and api_key_id is null and job_id is null;

-- These outlive the notification.
alter table unsubscribe_requests add column job_id uuid;
alter table printed_letters add column job_id uuid, add column job_row_number integer;
alter table returned_letters add column job_id uuid, add column job_row_number integer;

-- How many notifications of a job are in each status now. Like the other rollups it is added up from appended changes.
create table job_status_counts (
  job_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (job_id, status)
);
alter table status_count_changes add column job_id uuid;

-- Up to this moment; several rows may have one key.
create view job_statuses as
  select job_id, status, count from job_status_counts
  union all
  select c.job_id, side.status, side.change
  from status_count_changes c
  cross join lateral (values (c.status, c.change), (c.previous_status, -c.change)) as side (status, change)
  where c.job_id is not null and side.status is not null;
