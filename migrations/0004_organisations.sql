create table organisations (
  id uuid primary key,
  name text not null,
  active boolean not null default true,
  crown boolean,
  organisation_type text check (organisation_type in ('central', 'local', 'nhs_central', 'nhs_local', 'nhs_gp',
    'nhs_notify', 'emergency_service', 'school_or_college', 'other')),
  email_branding_id uuid references email_branding,
  letter_branding_id uuid references letter_branding,
  agreement_signed boolean,
  agreement_signed_at timestamptz,
  agreement_signed_by_id uuid references users,
  agreement_signed_on_behalf_of_name varchar(255),
  agreement_signed_on_behalf_of_email_address varchar(255),
  agreement_signed_version numeric,
  request_to_go_live_notes text,
  notes text,
  purchase_order_number varchar(255),
  billing_contact_names text,
  billing_contact_email_addresses text,
  billing_reference varchar(255),
  can_approve_own_go_live_requests boolean not null default false,
  permissions text[] not null default '{can_ask_to_join_a_service}',
  created_at timestamptz not null,
  updated_at timestamptz
);
create unique index organisations_name_key on organisations (name) where active;

create table organisation_domains (
  domain varchar(255) primary key,
  organisation_id uuid not null references organisations
);
create index organisation_domains_organisation_id_idx on organisation_domains (organisation_id);

create table organisation_members (
  organisation_id uuid not null references organisations,
  user_id uuid not null references users,
  created_at timestamptz not null,
  primary key (organisation_id, user_id)
);
create index organisation_members_user_id_idx on organisation_members (user_id);

-- A user who is not (yet) a member may have permissions, so they do not refer to the membership.
create table organisation_permissions (
  organisation_id uuid not null references organisations,
  user_id uuid not null references users,
  permission text not null check (permission in
    ('manage_services', 'view_all_services', 'manage_organisation', 'can_make_services_live')),
  primary key (organisation_id, user_id, permission)
);

-- Invitations are deleted after two days, accepted or not.
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

create table organisation_email_branding_pool (
  organisation_id uuid not null references organisations,
  email_branding_id uuid not null references email_branding,
  primary key (organisation_id, email_branding_id)
);

create table organisation_letter_branding_pool (
  organisation_id uuid not null references organisations,
  letter_branding_id uuid not null references letter_branding,
  primary key (organisation_id, letter_branding_id)
);
