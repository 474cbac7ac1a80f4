-- Who can carry messages, and how much of the traffic each one gets. All built-in ones have a row; the configuration says
-- which of them are in use.
create table provider_details (
  id uuid primary key,
  identifier text not null,
  display_name text not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  -- Weight of the random choice between those in use.
  priority integer not null constraint provider_details_priority_check check (priority between 0 and 100),
  -- Where the priority drifts back to when nothing has gone wrong for a while.
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

insert into provider_details (id, identifier, display_name, notification_type, priority, resting_priority, supports_international)
values
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c01', 'mmg', 'MMG', 'sms', 51, 51, true),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c02', 'firetext', 'Firetext', 'sms', 49, 49, false),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c03', 'twilio', 'Twilio', 'sms', 50, 50, true),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c04', 'sandbox', 'Sandbox', 'sms', 50, 50, true),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c05', 'ses', 'Amazon SES', 'email', 50, 50, false),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c06', 'smtp', 'SMTP', 'email', 50, 50, false),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c07', 'sandbox', 'Sandbox', 'email', 50, 50, false),
  ('2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c08', 'dvla', 'DVLA', 'letter', 100, 100, false);
insert into provider_details_history (id, version, identifier, display_name, notification_type, priority, active,
    supports_international)
select id, version, identifier, display_name, notification_type, priority, active, supports_international
from provider_details;

-- How each provider is doing, in periods of ten seconds: failover looks at the last minutes of it.
create table provider_health (
  provider text not null,
  period_start timestamptz not null,
  handed_over integer not null default 0,
  errors integer not null default 0,
  delivered_in_time integer not null default 0,
  failed integer not null default 0,
  primary key (period_start, provider)
);
