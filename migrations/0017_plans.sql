-- The order in which a service tries to reach a person: by email, else by text message, else by letter.
create table channel_plans (
  id uuid primary key,
  service_id uuid not null references services (id),
  name text not null,
  -- Of the current version: each step has its channel, its template, and after how many hours without delivery the next one starts.
  steps jsonb not null,
  version integer not null,
  archived boolean not null default false,
  created_by_id uuid not null references users (id),
  created_at timestamptz not null,
  updated_at timestamptz
);
create unique index channel_plans_name_key on channel_plans (service_id, lower(name)) where not archived;

-- A message keeps to the version with which it was accepted.
create table channel_plan_versions (
  plan_id uuid not null references channel_plans (id),
  version integer not null,
  steps jsonb not null,
  created_by_id uuid not null references users (id),
  created_at timestamptz not null,
  primary key (plan_id, version)
);

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
  -- Until when a worker has a message to itself: apart from when it is due, which says how late it is however often it is leased. Each
  -- attempt that fails doubles the time, and the next turn comes after those of messages that became due in the meantime.
  leased_until timestamptz,
  attempts integer not null default 0,
  -- Keyed digests of the contacts and the parts of the address: a person is found without decrypting the contents of everyone. Null
  -- once the contents were encrypted with another key: then they are decrypted to find a person.
  recipient_tags text[],
  foreign key (plan_id, plan_version) references channel_plan_versions (plan_id, version)
);
-- A key lists messages of its own type only, all of them or by status.
create index plan_messages_of_keys_idx on plan_messages (service_id, key_type, id desc);
create index plan_messages_of_keys_status_idx on plan_messages (service_id, key_type, status, id desc);
-- The list of messages of one plan, all of them and by status.
create index plan_messages_plan_idx on plan_messages (plan_id, id desc);
create index plan_messages_plan_status_idx on plan_messages (plan_id, status, id desc);
create index plan_messages_reference_idx on plan_messages (service_id, reference, id desc) where reference is not null;
create index plan_messages_due_at_idx on plan_messages (due_at) where due_at is not null;
-- Services take turns.
create index plan_messages_turns_idx on plan_messages (service_id, coalesce(leased_until, due_at)) where due_at is not null;

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

-- How many messages with a channel plan have each status, and which step reached their recipient (0: none). Changes are appended by the
-- transaction that changes a message, and added up once a second. Messages of test keys do not count.
create table plan_outcomes (
  plan_id uuid not null,
  plan_version integer not null,
  status text not null check (status in ('created', 'in-progress', 'delivered', 'failed', 'cancelled')),
  step smallint not null,
  messages bigint not null,
  primary key (plan_id, plan_version, status, step)
);

create table plan_outcome_changes (
  plan_id uuid not null,
  plan_version integer not null,
  status text not null,
  step smallint not null,
  messages integer not null
);
