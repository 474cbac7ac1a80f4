-- What the administrative front end reports for the record: sign-ins, permission changes, archives.
create table events (
  id uuid primary key,
  event_type text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index events_created_at_idx on events (created_at);
