-- Providers, and each one's share of the traffic. Every built-in provider has a row; the configuration decides which of them
-- are in use.
create table provider_details (
  id uuid primary key,
  identifier text not null,
  display_name text not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  -- Weight in the random choice between those in use.
  priority integer not null constraint provider_details_priority_check check (priority between 0 and 100),
  -- The priority that it returns to after a while without failures.
  resting_priority integer not null check (resting_priority between 0 and 100),
  active boolean not null default true,
  supports_international boolean not null,
  version integer not null default 1,
  created_by_id uuid references users,
  reason text,
  updated_at timestamptz,
  constraint provider_details_identifier_key unique (notification_type, identifier)
);

create table provider_details_history (
  id uuid not null,
  version integer not null,
  identifier text not null,
  display_name text not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  priority integer not null,
  active boolean not null,
  supports_international boolean not null,
  created_by_id uuid,
  reason text,
  updated_at timestamptz,
  primary key (id, version)
);

-- The moments at which messages may be handed over to a provider with a limited rate. Workers reserve them, so the limit holds for all of them
-- together: `next_at` is the first that is free, `granted` how many the last reservation got.
create table provider_slots (
  provider text primary key,
  next_at timestamptz not null,
  granted integer not null
);

-- Results of each provider, in periods of ten seconds: failover reads the last minutes.
create table provider_health (
  provider text not null,
  period_start timestamptz not null,
  handed_over integer not null default 0,
  errors integer not null default 0,
  delivered_in_time integer not null default 0,
  failed integer not null default 0,
  -- Receipts whose ids belong to no message, counted when they are given up. Many of them mean that ids are read in the wrong
  -- format.
  unmatched integer not null default 0,
  primary key (period_start, provider)
);

-- Appended like the changes of the rollups, and added up with them.
create table provider_health_changes (
  provider text not null,
  period_start timestamptz not null,
  handed_over integer not null,
  errors integer not null,
  delivered_in_time integer not null,
  failed integer not null,
  unmatched integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create view provider_health_counts as
  select provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched from provider_health
  union all
  select provider, period_start, handed_over, errors, delivered_in_time, failed, unmatched from provider_health_changes;

-- The worker that receives the reports of a provider that come in another way than by webhook: one at a time reads a mailbox.
create table report_receivers (
  provider text not null,
  name text not null,
  worker uuid not null,
  -- Another worker takes over after it.
  leased_until timestamptz not null,
  -- When it last received without an error; null before the first time.
  received_at timestamptz,
  primary key (provider, name)
);

-- Texts that went out as several parts, each with a receipt of its own. The message is delivered when all parts are.
create table message_parts (
  -- As in the receipt of the part.
  reference text primary key,
  -- The provider_reference of the message: that of its first part.
  message_reference text not null,
  sent_at timestamptz not null,
  delivered_at timestamptz
);
create index message_parts_message_reference_idx on message_parts (message_reference);
create index message_parts_sent_at_idx on message_parts (sent_at);

-- Messages that the sandbox provider received, and when each receipt is due.
create table sandbox_messages (
  reference uuid primary key,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  recipient text not null,
  sender text not null,
  subject text,
  body text not null,
  -- More than once only if an attempt was interrupted and repeated.
  times_sent integer not null default 1,
  created_at timestamptz not null,
  receipt_due_at timestamptz,
  -- Where the source of an email stands: the emails of one commit share a file. Creating one file per email took more processor
  -- time than everything else that the sandbox does.
  source_file uuid,
  source_start integer,
  source_length integer
);
create index sandbox_messages_receipt_due_at_idx on sandbox_messages (receipt_due_at) where receipt_due_at is not null;

-- Calls to services, from the commit in which the event happened until some days after delivery or final failure.
create table service_callbacks (
  id uuid primary key,
  service_id uuid not null,
  callback_type text not null check (callback_type in ('delivery_status', 'message_status', 'complaint',
    'returned_letter', 'inbound_sms')),
  -- The notification or received text message that it is about.
  subject_id uuid not null,
  -- URL and token at the time of the event: a later change of the setting does not redirect it.
  url text not null,
  encrypted_bearer_token text not null,
  body text not null, -- JSON, as it is sent
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- During an attempt, when another worker may take it over.
  due_at timestamptz not null,
  attempt_log jsonb not null default '[]',
  created_at timestamptz not null,
  completed_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index service_callbacks_waiting_idx on service_callbacks (service_id, due_at) where status = 'waiting';
create index service_callbacks_service_id_idx on service_callbacks (service_id, id desc);
-- How many callbacks failed is shown on a page.
create index service_callbacks_failed_idx on service_callbacks (service_id, id desc) where status = 'failed';
-- The timeline of a message shows its callbacks.
create index service_callbacks_subject_id_idx on service_callbacks (subject_id);

-- How far each sweep over past messages has come, so that the next run, in any process, continues there.
create table delivery_sweeps (
  name text primary key,
  swept_until timestamptz not null
);

-- Messages that the sweep for missing receipts found before their time was over, and when to check them again. The sweep
-- itself never checks a range twice.
create table unfinished_messages (
  notification_id uuid primary key,
  look_at timestamptz not null
);
create index unfinished_messages_look_at_idx on unfinished_messages (look_at);
