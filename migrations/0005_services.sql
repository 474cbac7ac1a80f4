create table services (
  id uuid primary key,
  name text not null,
  normalised_name text not null,
  active boolean not null default true,
  restricted boolean not null default true,
  created_by_id uuid not null references users,
  organisation_id uuid references organisations,
  organisation_type text check (organisation_type in ('central', 'local', 'nhs_central', 'nhs_local', 'nhs_gp',
    'nhs_notify', 'emergency_service', 'school_or_college', 'other')),
  crown boolean,
  permissions text[] not null,
  email_branding_id uuid references email_branding,
  letter_branding_id uuid references letter_branding,
  email_message_limit integer not null check (email_message_limit >= 0),
  sms_message_limit integer not null check (sms_message_limit >= 0),
  letter_message_limit integer not null check (letter_message_limit >= 0),
  international_sms_message_limit integer not null check (international_sms_message_limit >= 0),
  rate_limit integer not null default 3000 check (rate_limit >= 0),
  prefix_sms boolean not null default false,
  contact_link varchar(255),
  custom_email_sender_name varchar(255),
  email_sender_local_part text not null,
  confirmed_email_sender_name boolean default false,
  confirmed_unique boolean not null default false,
  has_active_go_live_request boolean not null default false,
  count_as_live boolean not null default true,
  go_live_user_id uuid references users,
  go_live_at timestamptz,
  volume_sms integer,
  volume_email integer,
  volume_letter integer,
  consent_to_research boolean,
  notes text,
  purchase_order_number varchar(255),
  billing_contact_names text,
  billing_contact_email_addresses text,
  billing_reference varchar(255),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz
);
-- An inactive service never becomes active again, so it holds no name.
create unique index services_name_key on services (name) where active;
-- Names that differ only in case, accents or punctuation would share a sending mailbox, so they clash.
create unique index services_normalised_name_key on services (normalised_name) where active;
create index services_organisation_id_idx on services (organisation_id);
create index services_email_branding_id_idx on services (email_branding_id);
create index services_letter_branding_id_idx on services (letter_branding_id);
create trigger announce_change after insert or update or delete on services
  for each row execute function announce_service_change();

-- The state after each change, as the specification's service history shows it.
create table services_history (
  id uuid not null,
  version integer not null,
  name text not null,
  active boolean not null,
  restricted boolean not null,
  email_message_limit integer not null,
  sms_message_limit integer not null,
  letter_message_limit integer not null,
  custom_email_sender_name varchar(255),
  email_sender_local_part text not null,
  permissions text[] not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (id, version)
);

create table service_members (
  service_id uuid not null references services,
  user_id uuid not null references users,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  primary key (service_id, user_id)
);
create index service_members_user_id_idx on service_members (user_id);
create trigger announce_change after insert or update or delete on service_members
  for each row execute function announce_service_change();
