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
  -- Whose job each run is.
  created_by_id uuid not null references users (id),
  created_at timestamptz not null,
  check ((state = 'active') = (next_at is not null))
);
create index recurring_sends_service_id_idx on recurring_sends (service_id, id);
create index recurring_sends_next_at_idx on recurring_sends (next_at) where state = 'active';
create trigger audit after insert or update or delete on recurring_sends for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('recurring_send', 'id', '{}');

-- One row for each date: whoever inserts it makes the job, so that no date is sent twice.
create table recurring_runs (
  recurring_id uuid not null references recurring_sends (id) on delete cascade,
  due_at timestamptz not null,
  -- Known before there is a job.
  job_id uuid not null,
  outcome text not null check (outcome in ('started', 'sent', 'failed', 'skipped')),
  reason text,
  -- Of the process that makes the job.
  leased_until timestamptz,
  primary key (recurring_id, due_at)
);
create index recurring_runs_started_idx on recurring_runs (due_at) where outcome = 'started';
