-- When each timed task last succeeded and last failed, whichever process ran it.
create table task_runs (
  task text primary key,
  -- Since when a worker knows of it: a task that never succeeded is late, too.
  watched_since timestamptz not null,
  succeeded_at timestamptz,
  failed_at timestamptz
);
