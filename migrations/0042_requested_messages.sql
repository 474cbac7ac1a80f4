-- Messages that a person made the platform send, to limit how many: one row each, deleted after a day.
create table requested_messages (
  -- The account or the service for which the message was sent.
  requested_for uuid not null,
  kind text not null,
  requested_at timestamptz not null
);
create index requested_messages_requested_for_idx on requested_messages (requested_for, kind, requested_at);
create index requested_messages_requested_at_idx on requested_messages (requested_at);
