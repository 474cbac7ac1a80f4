-- Messages that are sent by a channel plan. Each of their steps is an ordinary notification once it has started.
create table plan_messages (
  id uuid primary key,
  service_id uuid not null references services (id),
  plan_id uuid not null,
  plan_version integer not null,
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  api_key_id uuid references api_keys (id),
  reference text,
  -- The contacts of the recipient and the personalisation; null once they were erased.
  encrypted_content text,
  status text not null default 'created' check (status in ('created', 'in-progress', 'delivered', 'failed', 'cancelled')),
  -- The channel that reached the recipient.
  how text check (how in ('sms', 'email', 'letter')),
  scheduled_for timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  -- When a worker looks at it next: a step is to start, or was not delivered in time. Null: only the news of a step moves it.
  due_at timestamptz,
  foreign key (plan_id, plan_version) references channel_plan_versions (plan_id, version)
);
create index plan_messages_service_id_idx on plan_messages (service_id, id desc);
create index plan_messages_reference_idx on plan_messages (service_id, reference, id desc) where reference is not null;
create index plan_messages_due_at_idx on plan_messages (due_at) where due_at is not null;

create table plan_steps (
  message_id uuid not null references plan_messages (id) on delete cascade,
  number smallint not null,
  channel text not null check (channel in ('sms', 'email', 'letter')),
  template_id uuid not null references templates (id),
  template_version integer not null,
  wait_h integer,
  only_if_missing boolean not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'skipped', 'sent', 'delivered', 'failed', 'expired', 'cancelled')),
  -- Why it was skipped, failed or was cancelled.
  reason text,
  -- No foreign key: notifications are deleted by whole days. Unique, so that a step never starts twice.
  notification_id uuid unique,
  started_at timestamptz,
  handed_over_at timestamptz,
  ended_at timestamptz,
  primary key (message_id, number)
);

-- Messages with a step whose notification has changed, appended by the statement that changes it. Without foreign keys, so that it
-- waits for nothing.
create table plan_step_changes (
  id bigint generated always as identity primary key,
  message_id uuid not null
);
