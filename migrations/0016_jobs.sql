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
  created_at timestamptz not null,
  -- Of the people in a copy of a contact list.
  language text
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
  -- The parts of texts without problems.
  part_count integer not null default 0,
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
  archived boolean not null default false,
  -- The parts of the rows that are reserved, where they count.
  reserved_parts integer,
  -- Its messages wait for no sending time any more.
  ignores_sending_times boolean not null default false,
  -- When a file was to start that waits for its sending times, or has waited for them.
  wanted_at timestamptz
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
  archived boolean not null default false,
  -- Of the people on it.
  language text
);
create index contact_lists_service_id_idx on contact_lists (service_id, created_at desc) where not archived;

-- A template that is sent to a contact list again and again.
create table recurring_sends (
  id uuid primary key,
  service_id uuid not null references services (id),
  template_id uuid not null references templates (id),
  contact_list_id uuid not null references contact_lists (id),
  sender_id uuid,
  -- A part of the recurrence rules of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.
  rule text not null,
  starts_on date not null,
  -- HH:MM in the zone.
  at_time text not null,
  time_zone text not null,
  -- Null unless it is active.
  next_at timestamptz,
  state text not null check (state in ('active', 'paused', 'ended')),
  -- Why it paused by itself.
  ends_reason text,
  -- Since the last run that was sent.
  failures integer not null default 0,
  -- The author of the job of each run.
  created_by_id uuid not null references users (id),
  created_at timestamptz not null,
  check ((state = 'active') = (next_at is not null))
);
create index recurring_sends_service_id_idx on recurring_sends (service_id, id);
create index recurring_sends_next_at_idx on recurring_sends (next_at) where state = 'active';

-- One row for each date: the process that inserts it makes the job, so that no date is sent twice.
create table recurring_runs (
  recurring_id uuid not null references recurring_sends (id) on delete cascade,
  due_at timestamptz not null,
  -- Known before there is a job.
  job_id uuid not null,
  outcome text not null check (outcome in ('started', 'sent', 'failed', 'skipped')),
  reason text,
  -- Of the process that makes the job.
  leased_until timestamptz,
  -- The reason as texts with their values, which pages write in the language of the reader.
  reason_texts jsonb,
  primary key (recurring_id, due_at)
);
create index recurring_runs_started_idx on recurring_runs (due_at) where outcome = 'started';

create table report_requests (
  id uuid primary key,
  service_id uuid not null references services,
  user_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  notification_status text not null check (notification_status in ('all', 'sending', 'delivered', 'failed')),
  status text not null check (status in ('pending', 'in progress', 'stored', 'failed', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz,
  -- Of a report that an application requested through /v2/reports: its key, the language of the headings, and the job that it is about.
  api_key_id uuid,
  language text check (language in ('en', 'fr')),
  job_id uuid
);
create index report_requests_service_id_idx on report_requests (service_id, user_id, created_at desc);
create index report_requests_created_at_idx on report_requests (created_at);
