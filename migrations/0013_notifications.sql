-- Partitioned by id: ids are UUIDv7, so a range of ids is a range of time. Partitions are created in advance and dropped
-- whole; the default one only ensures that a missing partition never refuses a message. No foreign keys: accepting a message
-- must not lock rows of other tables.
create table notifications (
  id uuid primary key,
  service_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  api_key_id uuid,
  created_by_id uuid,
  status text not null check (status in ('created', 'sending', 'sent', 'pending', 'delivered', 'failed',
    'technical-failure', 'temporary-failure', 'permanent-failure', 'cancelled', 'pending-virus-check',
    'validation-failed', 'virus-scan-failed', 'returned-letter')),
  client_reference text,
  -- As the sender wrote it; the normalised form goes to providers and is compared with guest lists.
  recipient text not null,
  normalised_recipient text,
  personalisation jsonb not null default '{}',
  -- The sender name, reply-to address or contact block at the time of acceptance.
  reply_to_text text,
  postage text check (postage ~ '^[a-z][a-z0-9-]{1,19}$'),
  international boolean not null default false,
  rate_multiplier smallint not null default 1,
  -- Fragments of a text message, sheets of a letter; 0 until known.
  billable_units integer not null default 0,
  provider text,
  provider_reference text,
  one_click_unsubscribe_url text,
  scheduled_for timestamptz,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz,
  -- Values that give access (sign-in codes, links to accounts and to files), encrypted, apart from the others.
  secret_personalisation text,
  -- How many files a message links to; null for none. Written only for messages with files, so accepting others costs the
  -- same.
  document_download_count smallint,
  job_id uuid,
  job_row_number integer,
  -- The language that was chosen when the message was accepted; null: the template's own text.
  language text
) partition by range (id);
-- A status change must stay within its page and touch no index: so the pages have free space, and no index contains the
-- status, not even in its condition.
create table notifications_default partition of notifications default with (fillfactor = 60);
-- Two in place of one: a list without the messages of jobs must not read a hundred thousand of them, and each message is in
-- one index.
create index notifications_single_idx on notifications (service_id, id desc) where job_id is null;
create index notifications_of_jobs_idx on notifications (service_id, id desc) where job_id is not null;
create index notifications_job_id_idx on notifications (job_id, job_row_number) where job_id is not null;
-- An index entry is limited to 2,704 bytes, and a reference has up to 1,000 characters of up to four bytes: only its beginning
-- is indexed.
create index notifications_reference_start_idx on notifications (service_id, left(client_reference, 200))
  where client_reference is not null;
create index notifications_provider_reference_idx on notifications (provider_reference)
  where provider_reference is not null;
-- Finds the letters that are not finished. Not by status: see above.
create index notifications_letters_idx on notifications (id) where notification_type = 'letter';
-- Letters sent from the front end: few, so that those of a service are found without reading its other messages.
create index notifications_letters_by_hand_idx on notifications (service_id, id)
  where notification_type = 'letter' and api_key_id is null and job_id is null;

-- Rows that a commit of accepted messages sends to the database, as an array in binary form (src/notifications/notification-row.ts).
-- Processes of two releases use the database during an upgrade: another shape needs another type.
create type notification_to_store as (
  id uuid,
  service_id uuid,
  template_id uuid,
  template_version integer,
  notification_type text,
  key_type text,
  api_key_id uuid,
  created_by_id uuid,
  status text,
  client_reference text,
  recipient text,
  normalised_recipient text,
  personalisation jsonb,
  reply_to_text text,
  postage text,
  international boolean,
  rate_multiplier smallint,
  one_click_unsubscribe_url text,
  scheduled_for timestamptz,
  created_at timestamptz,
  job_id uuid,
  job_row_number integer,
  -- Null if the message is not ready for delivery.
  lane smallint,
  -- Null: created_at.
  due_at timestamptz,
  language text,
  -- Sequence numbers within the daily limits, from 1; 0 if a limit does not apply.
  sequence integer,
  international_sequence integer
);

-- Messages with an Idempotency-Key are stored in one statement, all or none. When a key is taken or a limit is reached, the
-- statement calls this function, which undoes it.
create function require_complete(is_complete boolean) returns boolean language plpgsql as $$
begin
  if not is_complete then
    raise exception 'Only a part can be stored' using errcode = 'PPALL';
  end if;
  return true;
end $$;

-- Letters whose id was chosen by the caller who uploaded them. Internally a message has an id that ascends with time; the API
-- shows the chosen one. Each service has its own ids: the same one in two services is two letters.
create table uploaded_letters (
  service_id uuid not null references services,
  file_id uuid not null,
  notification_id uuid not null constraint uploaded_letters_notification_id_key unique,
  created_at timestamptz not null,
  primary key (service_id, file_id)
);
create index uploaded_letters_file_id_idx on uploaded_letters (file_id);

-- Files that were stored for a message whose transaction has not ended. The transaction that stores the message deletes its
-- rows; where that never happens, the files are deleted an hour later.
create table unconfirmed_files (
  path text primary key,
  created_at timestamptz not null
);

-- Files that are part of an email, stored until its message is final. Each is encrypted with a key of its own, which is among the
-- secret values of the message.
create table attachments (
  id uuid primary key,
  service_id uuid not null,
  notification_id uuid not null
);
create index attachments_notification_id_idx on attachments (notification_id);

-- Messages to hand over to a provider. The notification's row decides, this is only the queue. A leased row has its due_at
-- set to the end of the lease: no worker sees it until then, and finding what is due never skips over rows in flight.
create table delivery_queue (
  notification_id uuid primary key,
  service_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  lane smallint not null, -- 0 priority, 1 normal, 2 bulk
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- The provider that was called last, written before the call. Until the result is known it may have the message.
  provider text,
  outcome_known boolean not null default true,
  -- The worker that holds the lease. Its result counts only while it does: a worker that was stalled for longer than its
  -- lease changes nothing that another worker holds by then.
  leased_by uuid,
  -- Of a receipt that came before the result of its hand-over, and is counted with it: whether the receiver blames the sender, not
  -- the address.
  blames_sender boolean
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_lane_idx on delivery_queue (notification_type, lane, service_id, due_at);
-- Messages that wait for another attempt, of each channel the oldest first. Messages of a first attempt are never in it, so that
-- delivering without errors does not write it.
create index delivery_queue_retries_idx on delivery_queue (notification_type, notification_id)
  where attempts > 1 or attempts > 0 and leased_by is null;

-- Attempts to hand a message over that failed. Written only then, and deleted with the message.
create table failed_attempts (
  notification_id uuid not null,
  attempt integer not null check (attempt > 0),
  -- Null if no provider in use could take it.
  provider text,
  -- refused: the provider will never take it. unknown: the provider may have it. reported: the reason in a receipt, which is no
  -- attempt, but is kept and erased like one.
  outcome text not null check (outcome in ('failed', 'refused', 'unknown', 'reported')),
  -- Without recipients, see attempts.ts.
  reason text not null check (length(reason) <= 255),
  -- Of the call; null if there was none.
  duration_ms integer check (duration_ms >= 0),
  failed_at timestamptz not null,
  -- Null if it was the last attempt.
  retry_at timestamptz,
  primary key (notification_id, attempt)
);

-- Messages with a step whose notification has changed, appended by the statement that changes it. Without foreign keys, so that it
-- waits for nothing.
create table plan_step_changes (
  id bigint generated always as identity primary key,
  message_id uuid not null
);

-- Responses that are returned again when a sender repeats a request with the same Idempotency-Key within 24 hours.
create table idempotency_keys (
  service_id uuid not null,
  key text not null,
  request_digest text not null,
  response jsonb not null,
  created_at timestamptz not null,
  primary key (service_id, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- Requests of the public API that were refused, without values: for the people who write the program that sends them.
-- Bounded: so many per service and minute, so many per service, and for some days.
create table refused_requests (
  id uuid primary key,
  service_id uuid not null references services,
  api_key_id uuid not null references api_keys,
  -- The path of the API document, such as /v2/notifications/sms.
  path text not null,
  status_code smallint not null,
  -- As in the response, without values of the request: [{"error", "message"}].
  errors jsonb not null,
  template_id uuid,
  -- Names of the fields that were sent, and of those in personalisation.
  fields text[] not null,
  personalisation_fields text[] not null,
  created_at timestamptz not null
);
create index refused_requests_service_id_idx on refused_requests (service_id, id desc);

-- The trace of the request that a message came with, for the steps that follow in other processes. Only of messages whose
-- request was recorded. Unlogged: after a crash, steps are missing in traces, and nothing else.
create unlogged table message_traces (
  notification_id uuid primary key,
  -- The header of W3C Trace Context.
  traceparent text not null
);

-- The guard's opinion of the emails of a service. Without a row: none.
create table service_guard (
  service_id uuid primary key references services (id),
  state text not null check (state in ('ok', 'warned', 'paused')),
  because text check (because in ('bounces', 'bounces-small', 'complaints')),
  -- In percent, as people read it: the rate that led to the state.
  rate text,
  -- When the state began.
  since timestamptz not null,
  judged_at timestamptz not null,
  last_warning_at timestamptz,
  lifted_at timestamptz,
  lifted_by_id uuid references users (id),
  lift_reason text,
  -- The outcomes of the hour of the lift before it. The guard counts those after it.
  lifted_sent bigint,
  lifted_bounces bigint,
  lifted_complaints bigint,
  -- Until then the service is warned, and never paused.
  exempt_until timestamptz,
  check ((state = 'ok') = (because is null))
);
create index service_guard_state_idx on service_guard (state) where state <> 'ok';

-- Processes keep the state of a service with its settings, and workers which services are paused.
create trigger announce_change after insert or delete on service_guard
  for each row execute function announce_service_change();
create trigger announce_new_state after update on service_guard
  for each row when ((old.state, old.because, old.rate) is distinct from (new.state, new.because, new.rate))
  execute function announce_service_change();
create function announce_service_guard() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_guard_changed', 'all');
  return null;
end
$$;
create trigger announce_guard after insert or update of state or delete on service_guard
  for each statement execute function announce_service_guard();

-- When messages of a service may go out, by the clock of the recipient. Without a row: at any time.
create table send_windows (
  id uuid primary key,
  service_id uuid not null references services (id),
  name text not null,
  -- On which the window begins: mon to sun.
  days text[] not null,
  -- HH:MM; inclusive and exclusive. 24:00 is midnight; a time not after from_time is on the next day.
  from_time text not null,
  until_time text not null,
  -- No window begins on these.
  closed_days date[] not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  created_by_id uuid references users,
  constraint send_windows_name_key unique (service_id, name),
  unique (service_id, id)
);

-- The window of each channel; and the zone of recipients of whom none is known, null: that of the installation.
create table service_sending_times (
  service_id uuid primary key references services (id),
  sms_window_id uuid,
  email_window_id uuid,
  time_zone text,
  constraint service_sending_times_sms_window_fkey foreign key (service_id, sms_window_id) references send_windows (service_id, id),
  constraint service_sending_times_email_window_fkey foreign key (service_id, email_window_id) references send_windows (service_id, id)
);

-- Templates with a window of their own; null: none, so that their messages go out at any time.
create table template_sending_times (
  template_id uuid primary key references templates (id),
  service_id uuid not null references services (id),
  window_id uuid,
  constraint template_sending_times_window_fkey foreign key (service_id, window_id) references send_windows (service_id, id)
);
create index template_sending_times_service_id_idx on template_sending_times (service_id);

-- Processes keep them with the settings of the service.
create trigger announce_change after insert or update or delete on send_windows
  for each row execute function announce_service_change();
create trigger announce_change after insert or update or delete on service_sending_times
  for each row execute function announce_service_change();
create trigger announce_change after insert or update or delete on template_sending_times
  for each row execute function announce_service_change();

-- Messages that wait for a window to open. Like any scheduled message they are due at notifications.scheduled_for, which is up to
-- WINDOW_SPREAD_S after held_until.
create table held_messages (
  notification_id uuid primary key,
  service_id uuid not null,
  notification_type text not null,
  -- Null: the message is only scheduled, or waits no more. Its row then keeps the time zone of a scheduled message, because changed
  -- sending times may make it wait.
  held_until timestamptz,
  -- That of the request or the row, if it had one.
  time_zone text,
  -- The time it was scheduled for, if it was.
  wanted_at timestamptz,
  -- The file of the message.
  job_id uuid
);
create index held_messages_channel_idx on held_messages (notification_type, held_until);
create index held_messages_service_id_idx on held_messages (service_id, notification_id);
create index held_messages_job_id_idx on held_messages (job_id, held_until) where job_id is not null;
