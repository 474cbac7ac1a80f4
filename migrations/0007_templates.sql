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
  -- References letter_attachments, which is created below.
  letter_attachment_id uuid,
  has_unsubscribe_link boolean not null default false,
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint templates_languages_are_for_letters check (letter_languages is null or template_type = 'letter'),
  constraint templates_unsubscribe_link_is_for_emails check (not has_unsubscribe_link or template_type = 'email')
);
create index templates_service_id_idx on templates (service_id);
create unique index templates_one_precompiled on templates (service_id) where hidden and template_type = 'letter';
create trigger announce_change after insert or update or delete on templates
  for each row execute function announce_service_change();

-- Every version, in full: notifications are rendered from the version they were accepted with.
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
  letter_attachment_id uuid,
  has_unsubscribe_link boolean not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (id, version)
);
create index templates_history_service_id_idx on templates_history (service_id);

-- Pages that are printed after a letter. The file itself is in the file store, by id.
create table letter_attachments (
  id uuid primary key,
  service_id uuid not null references services,
  template_id uuid not null references templates,
  original_filename text not null,
  page_count integer not null check (page_count > 0),
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  archived_by_id uuid references users,
  archived_at timestamptz
);
create index letter_attachments_template_id_idx on letter_attachments (template_id);
alter table templates add foreign key (letter_attachment_id) references letter_attachments;

-- Files that recipients of an email template download. A pending file is uploaded, but not yet part of the template.
create table template_email_files (
  id uuid primary key,
  service_id uuid not null references services,
  template_id uuid not null references templates,
  -- The first version of the template that has this version of the file.
  template_version integer not null,
  version integer not null default 1,
  filename text not null,
  -- The filename as placeholders are compared: without spaces, underscores and hyphens, in lower case.
  filename_key text not null,
  link_text text,
  retention_period integer not null check (retention_period between 1 and 78), -- weeks
  validate_users_email boolean not null,
  pending boolean not null,
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  updated_at timestamptz,
  archived_by_id uuid references users,
  archived_at timestamptz
);
create index template_email_files_template_id_idx on template_email_files (template_id);
create unique index template_email_files_live_filename_key on template_email_files (template_id, filename_key)
  where archived_at is null;
create trigger announce_change after insert or update or delete on template_email_files
  for each row execute function announce_service_change();

create table template_email_files_history (
  id uuid not null,
  version integer not null,
  service_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  filename text not null,
  link_text text,
  retention_period integer not null,
  validate_users_email boolean not null,
  pending boolean not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  archived_by_id uuid,
  archived_at timestamptz,
  primary key (id, version)
);
create index template_email_files_history_template_id_idx on template_email_files_history (template_id);
