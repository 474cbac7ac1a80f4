create table api_keys (
  id uuid primary key,
  service_id uuid not null references services,
  name varchar(255) not null,
  -- Encrypted, not hashed: checking a token signed with the secret needs the secret itself.
  encrypted_secret text not null,
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  created_by_id uuid not null references users,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz,
  -- When it was revoked.
  expiry_date timestamptz,
  -- Optional limits: until when, and from which networks it may be used.
  expires_at timestamptz,
  allowed_networks text[],
  -- Whether it may create and change the templates of its service.
  manage_templates boolean not null default false,
  manage_reports boolean not null default false,
  -- The secret comes from another server, which knows it.
  imported boolean not null default false,
  -- Whether it is a password for SMTP.
  send_over_smtp boolean not null default false
);
create index api_keys_service_id_idx on api_keys (service_id);
-- A revoked key frees its name.
create unique index api_keys_live_name_key on api_keys (service_id, name) where expiry_date is null;
create trigger announce_change after insert or update or delete on api_keys
  for each row execute function announce_service_change();

create table api_keys_history (
  id uuid not null,
  version integer not null,
  service_id uuid not null,
  name varchar(255) not null,
  key_type text not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  expiry_date timestamptz,
  expires_at timestamptz,
  allowed_networks text[],
  manage_templates boolean not null default false,
  manage_reports boolean not null default false,
  imported boolean not null default false,
  send_over_smtp boolean not null default false,
  primary key (id, version)
);
create index api_keys_history_service_id_idx on api_keys_history (service_id);

-- Not in api_keys, where every change makes all processes read the keys of the service again.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_at timestamptz not null
);
