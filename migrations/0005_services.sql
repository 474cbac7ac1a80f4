create table services (
  id uuid primary key,
  name text not null,
  normalised_name text not null,
  active boolean not null default true,
  restricted boolean not null default true,
  created_by_id uuid not null references users,
  organisation_id uuid references organisations,
  organisation_type text check (organisation_type ~ '^[a-z][a-z0-9_]{1,30}$'),
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
  updated_at timestamptz,
  -- gc: its clients are written for GC Notify, and get its errors.
  api_dialect text not null default 'govuk' check (api_dialect in ('govuk', 'gc')),
  -- References sending_domains, which a later file creates.
  sending_domain_id uuid,
  email_annual_limit integer check (email_annual_limit >= 0),
  sms_annual_limit integer check (sms_annual_limit >= 0),
  letter_annual_limit integer check (letter_annual_limit >= 0),
  -- Whether limits count texts, or the parts that they are sent in. A change holds from the next day on: until then, the other
  -- unit counts. Null if the service has always had its unit.
  sms_limit_unit text not null default 'messages' check (sms_limit_unit in ('messages', 'parts')),
  sms_limit_unit_from date,
  -- What becomes of attachments of emails that other software sends over SMTP. Null: as for the installation.
  smtp_files text check (smtp_files in ('refuse', 'drop', 'link'))
);
-- An inactive service never becomes active again, so its name is free.
create unique index services_name_key on services (name) where active;
-- Names that differ only in case, accents or punctuation would share a sending mailbox, so they conflict.
create unique index services_normalised_name_key on services (normalised_name) where active;
create index services_organisation_id_idx on services (organisation_id);
create index services_email_branding_id_idx on services (email_branding_id);
create index services_letter_branding_id_idx on services (letter_branding_id);
-- With many thousands of services: the first page of their list, and the requests to go live, without reading all of them.
create index services_list_idx on services (active desc, lower(name), id);
create index services_go_live_requests_idx on services (updated_at, id) where active and restricted and has_active_go_live_request;
create trigger announce_change after insert or update or delete on services
  for each row execute function announce_service_change();

-- The state after each change, as the service history shows it.
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

-- Invitations are deleted after two days, accepted or not.
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

-- At most one default each. A service without a default letter contact prints none.
create table service_letter_contacts (
  id uuid primary key,
  service_id uuid not null references services,
  contact_block text not null,
  is_default boolean not null,
  archived boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index service_letter_contacts_service_id_idx on service_letter_contacts (service_id);
create unique index service_letter_contacts_one_default on service_letter_contacts (service_id)
  where is_default and not archived;
create trigger announce_change after insert or update or delete on service_letter_contacts
  for each row execute function announce_service_change();

create table service_email_reply_to (
  id uuid primary key,
  service_id uuid not null references services,
  email_address text not null,
  is_default boolean not null,
  archived boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index service_email_reply_to_service_id_idx on service_email_reply_to (service_id);
create unique index service_email_reply_to_one_default on service_email_reply_to (service_id)
  where is_default and not archived;
create unique index service_email_reply_to_address_key on service_email_reply_to (service_id, email_address)
  where not archived;
create trigger announce_change after insert or update or delete on service_email_reply_to
  for each row execute function announce_service_change();

create table inbound_numbers (
  id uuid primary key,
  number varchar(255) not null constraint inbound_numbers_number_key unique,
  provider text not null,
  service_id uuid references services,
  active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz,
  -- As numbers are compared, however people and providers write them. Null: another row has the same number and receives its texts.
  normalised_number varchar(255) constraint inbound_numbers_normalised_number_key unique
);
create unique index inbound_numbers_service_id_key on inbound_numbers (service_id);

create table service_sms_senders (
  id uuid primary key,
  service_id uuid not null references services,
  sms_sender varchar(255) not null,
  is_default boolean not null,
  archived boolean not null default false,
  inbound_number_id uuid constraint service_sms_senders_inbound_number_id_key unique references inbound_numbers,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index service_sms_senders_service_id_idx on service_sms_senders (service_id);
create unique index service_sms_senders_one_default on service_sms_senders (service_id) where is_default and not archived;
create trigger announce_change after insert or update or delete on service_sms_senders
  for each row execute function announce_service_change();

-- Recipients that a service in trial mode may send to besides its members: exactly as typed, in the order given.
create table service_guest_list (
  service_id uuid not null references services,
  recipient_type text not null check (recipient_type in ('email', 'mobile')),
  position integer not null,
  recipient text not null,
  primary key (service_id, recipient_type, position)
);
create trigger announce_change after insert or update or delete on service_guest_list
  for each row execute function announce_service_change();

-- How long messages of a service are kept, by type; 7 days without a row.
create table service_data_retention (
  id uuid primary key,
  service_id uuid not null references services,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  days_of_retention integer not null check (days_of_retention >= 0),
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint service_data_retention_type_key unique (service_id, notification_type)
);
create trigger announce_change after insert or update or delete on service_data_retention
  for each row execute function announce_service_change();

-- The URLs that a service is called at, one per kind of event.
create table service_callback_api (
  id uuid primary key,
  service_id uuid not null references services,
  callback_type text not null check (callback_type in ('delivery_status', 'message_status', 'complaint',
    'returned_letter', 'inbound_sms')),
  url text not null,
  -- Encrypted for the purpose `callback-token`. It is sent to the service's own URL and never shown.
  encrypted_bearer_token text not null,
  updated_by_id uuid not null references users,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint service_callback_api_type_key unique (service_id, callback_type)
);
create trigger announce_change after insert or update or delete on service_callback_api
  for each row execute function announce_service_change();

-- The authors of callback URLs. The tokens are not kept.
create table service_callback_api_history (
  id uuid not null,
  version integer not null,
  service_id uuid not null,
  callback_type text not null,
  url text not null,
  updated_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (id, version)
);

-- Secrets that sign calls to a service, where it asked for one apart from the bearer token, which is sent with each call.
create table service_callback_signing_secrets (
  callback_id uuid primary key references service_callback_api on delete cascade,
  encrypted_secret text not null,
  created_by_id uuid not null references users,
  created_at timestamptz not null
);

-- Email addresses that a service with the permission `suppress_recipients` does not send to, until a person lifts the entry. The
-- address is normalised, as in `notifications.normalised_recipient`. The message may be deleted long before.
create table suppressed_recipients (
  id uuid primary key,
  service_id uuid not null references services on delete cascade,
  email_address text not null,
  reason text not null check (reason in ('hard-bounce', 'complaint', 'unsubscribe')),
  notification_id uuid not null,
  created_at timestamptz not null,
  unique (service_id, email_address)
);
create index suppressed_recipients_service_id_idx on suppressed_recipients (service_id, id desc);
