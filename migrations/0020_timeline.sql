-- The timeline of a message: attempts to hand it over that failed, and its callbacks.

-- Written only when an attempt fails. Deleted with the message.
create table failed_attempts (
  notification_id uuid not null,
  attempt integer not null check (attempt > 0),
  -- Null if no provider in use could take it.
  provider text,
  -- refused: the provider will never take it. unknown: the provider may have it.
  outcome text not null check (outcome in ('failed', 'refused', 'unknown')),
  -- Without recipients, see attempts.ts.
  reason text not null check (length(reason) <= 200),
  -- Of the call; null if there was none.
  duration_ms integer check (duration_ms >= 0),
  failed_at timestamptz not null,
  -- Null if it was the last attempt.
  retry_at timestamptz,
  primary key (notification_id, attempt)
);

create index service_callbacks_subject_id_idx on service_callbacks (subject_id);
