-- Processes that work on jobs, and when each was last heard of. Not unlogged: after a power cut the workers that died with
-- the database must still be known, or their jobs would stay locked.
create table queue_workers (
  id text primary key,
  seen_at timestamptz not null
);
