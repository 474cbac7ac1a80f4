-- When a file was to start that waits for its sending times, or has waited for them.
alter table jobs add wanted_at timestamptz;
