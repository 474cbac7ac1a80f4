-- What services are told about, from the commit in which it happened until some days after it was delivered or given up.
create table service_callbacks (
  id uuid primary key,
  service_id uuid not null,
  callback_type text not null check (callback_type in ('delivery_status', 'complaint', 'returned_letter', 'inbound_sms')),
  -- The notification or received text that it is about.
  subject_id uuid not null,
  -- Address and token as they were then: a message about the past goes where the past was told to send it.
  url text not null,
  encrypted_bearer_token text not null,
  body text not null, -- JSON, as it is sent
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- While an attempt is under way, the moment at which another worker may take it over.
  due_at timestamptz not null,
  attempt_log jsonb not null default '[]',
  created_at timestamptz not null,
  completed_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index service_callbacks_waiting_idx on service_callbacks (service_id, due_at) where status = 'waiting';
create index service_callbacks_service_id_idx on service_callbacks (service_id, id desc);
