-- Invitations live for two days, whatever becomes of them.
create table service_invites (
  id uuid primary key,
  service_id uuid not null references services,
  email_address text not null check (length(email_address) <= 255),
  from_user_id uuid not null references users,
  permissions text[] not null,
  folder_permissions uuid[] not null,
  auth_type text not null check (auth_type in ('sms_auth', 'email_auth', 'webauthn_auth')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'cancelled')),
  created_at timestamptz not null
);
create index service_invites_service_id_idx on service_invites (service_id);
create index service_invites_created_at_idx on service_invites (created_at);

create table organisation_invites (
  id uuid primary key,
  organisation_id uuid not null references organisations,
  email_address text not null check (length(email_address) <= 255),
  invited_by_id uuid not null references users,
  permissions text[] not null,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'cancelled')),
  created_at timestamptz not null
);
create index organisation_invites_organisation_id_idx on organisation_invites (organisation_id);
create index organisation_invites_created_at_idx on organisation_invites (created_at);

create table service_join_requests (
  id uuid primary key,
  service_id uuid not null references services,
  requester_id uuid not null references users,
  contacted_user_ids uuid[] not null,
  reason text,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'cancelled')),
  status_changed_by_id uuid references users,
  status_changed_at timestamptz,
  created_at timestamptz not null
);
create index service_join_requests_service_id_idx on service_join_requests (service_id);
