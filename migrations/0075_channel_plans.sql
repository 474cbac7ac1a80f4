-- In which order a service tries to reach somebody: by email, else by text message, else by letter.
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

create trigger audit after insert or update or delete on channel_plans for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('channel_plan', 'id', '{}');
