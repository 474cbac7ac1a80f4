-- When the user last had too many failures in a row: sessions from before that end.
alter table users add column locked_at timestamptz;
