create table template_folders (
  id uuid primary key,
  service_id uuid not null references services,
  name varchar(255) not null,
  parent_id uuid references template_folders,
  created_at timestamptz not null
);
create index template_folders_service_id_idx on template_folders (service_id);

create table template_folder_members (
  template_folder_id uuid not null references template_folders on delete cascade,
  service_id uuid not null,
  user_id uuid not null,
  primary key (template_folder_id, user_id),
  foreign key (service_id, user_id) references service_members (service_id, user_id) on delete cascade
);
create index template_folder_members_member_idx on template_folder_members (service_id, user_id);

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
create trigger announce_change after insert or update or delete on service_email_reply_to
  for each row execute function announce_service_change();

create table inbound_numbers (
  id uuid primary key,
  number varchar(255) not null constraint inbound_numbers_number_key unique,
  provider text not null,
  service_id uuid references services,
  active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz
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

create table templates (
  id uuid primary key,
  service_id uuid not null references services,
  name varchar(255) not null,
  template_type text not null check (template_type in ('sms', 'email', 'letter')),
  subject text,
  content text not null,
  version integer not null default 1,
  archived boolean not null default false,
  hidden boolean not null default false,
  folder uuid references template_folders,
  process_type text not null default 'normal' check (process_type in ('normal', 'priority', 'bulk')),
  redact_personalisation boolean not null default false,
  postage text check (postage in ('first', 'second', 'economy')),
  -- By template type: a letter contact, an email reply-to address or an SMS sender of the service.
  reply_to uuid,
  letter_languages text check (letter_languages in ('english', 'welsh_then_english')),
  letter_welsh_subject text,
  letter_welsh_content text,
  has_unsubscribe_link boolean not null default false,
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index templates_service_id_idx on templates (service_id);
create unique index templates_one_precompiled on templates (service_id) where hidden and template_type = 'letter';
create trigger announce_change after insert or update or delete on templates
  for each row execute function announce_service_change();

-- Every version, whole: notifications are rendered from the version they were accepted with.
create table templates_history (
  id uuid not null,
  version integer not null,
  service_id uuid not null,
  name varchar(255) not null,
  template_type text not null check (template_type in ('sms', 'email', 'letter')),
  subject text,
  content text not null,
  archived boolean not null,
  hidden boolean not null,
  process_type text not null check (process_type in ('normal', 'priority', 'bulk')),
  redact_personalisation boolean not null,
  postage text check (postage in ('first', 'second', 'economy')),
  reply_to uuid,
  letter_languages text check (letter_languages in ('english', 'welsh_then_english')),
  letter_welsh_subject text,
  letter_welsh_content text,
  has_unsubscribe_link boolean not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (id, version)
);
create index templates_history_service_id_idx on templates_history (service_id);
