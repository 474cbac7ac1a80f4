-- Processes that work on jobs, and when each last reported. Not unlogged: after a power cut the workers that died with the
-- database must still be known, or their jobs would stay locked.
create table queue_workers (
  id text primary key,
  seen_at timestamptz not null
);

-- When each timed task last succeeded and last failed, in any process.
create table task_runs (
  task text primary key,
  -- When a worker first knew the task: one that never succeeded is late, too.
  watched_since timestamptz not null,
  succeeded_at timestamptz,
  failed_at timestamptz
);

-- Like sum(bigint), which adds in numeric: that takes longer than the rest of a report.
create aggregate total(bigint) (
  sfunc = int8pl, stype = bigint, initcond = '0', combinefunc = int8pl, parallel = safe
);

-- Notifies every process which service changed, so that it reads the service's cached data again. A trigger, not a call in
-- the application: no writer can forget it, and a manual change in psql counts too.
create function announce_service_change() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('service_changed', coalesce(changed ->> 'service_id', changed ->> 'id'));
  return null;
end
$$;
