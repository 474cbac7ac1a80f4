create table organisations (
  id uuid primary key,
  name text not null,
  active boolean not null default true,
  crown boolean,
  -- Every country has its own types. Requests are checked against those of its profile; the same holds for services and allowances.
  organisation_type text check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$'),
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
  updated_at timestamptz,
  -- References sending_domains, which a later file creates.
  sending_domain_id uuid,
  -- Messages in a financial year; null: no limit. The same holds for services.
  email_annual_limit integer check (email_annual_limit >= 0),
  sms_annual_limit integer check (sms_annual_limit >= 0),
  letter_annual_limit integer check (letter_annual_limit >= 0)
);
create unique index organisations_name_key on organisations (name) where active;

-- Caches of services have the limits of their organisation.
create function announce_organisation_limits() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', id::text) from services where organisation_id = new.id;
  return null;
end
$$;
create trigger announce_limits after update of email_annual_limit, sms_annual_limit, letter_annual_limit on organisations
  for each row
  when ((old.email_annual_limit, old.sms_annual_limit, old.letter_annual_limit)
    is distinct from (new.email_annual_limit, new.sms_annual_limit, new.letter_annual_limit))
  execute function announce_organisation_limits();

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
