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
  -- The classes are those of the country, which its profile lists. Code checks them when a row is written; every table checks only
  -- their form, so that rows of a country before this one stay valid.
  postage text check (postage ~ '^[a-z][a-z0-9-]{1,19}$'),
  -- By template type: a letter contact, an email reply-to address or an SMS sender of the service.
  reply_to uuid,
  letter_languages text check (letter_languages in ('english', 'welsh_then_english')),
  letter_welsh_subject text,
  letter_welsh_content text,
  -- References letter_attachments, which a later file creates.
  letter_attachment_id uuid,
  has_unsubscribe_link boolean not null default false,
  created_by_id uuid not null references users,
  created_at timestamptz not null,
  updated_at timestamptz,
  -- Chosen through /v2/manage-template. The categories are fixed data of the product, so they have no table.
  category_id uuid,
  -- The language of its own text, if it has texts in other languages; and the placeholder whose value chooses between them.
  language text,
  language_field text,
  refuse_unknown_languages boolean not null default false,
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
  postage text check (postage ~ '^[a-z][a-z0-9-]{1,19}$'),
  reply_to uuid,
  letter_languages text check (letter_languages in ('english', 'welsh_then_english')),
  letter_welsh_subject text,
  letter_welsh_content text,
  letter_attachment_id uuid,
  has_unsubscribe_link boolean not null,
  created_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  category_id uuid,
  language text,
  language_field text,
  refuse_unknown_languages boolean not null default false,
  primary key (id, version)
);
create index templates_history_service_id_idx on templates_history (service_id);

-- The texts of each version in the other languages.
create table template_variants (
  template_id uuid not null,
  version integer not null,
  language text not null,
  subject text,
  content text not null,
  -- A text of the product, which the next release may replace; of people if false.
  seeded boolean not null default false,
  primary key (template_id, version, language),
  foreign key (template_id, version) references templates_history (id, version)
);

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

-- Unsaved fields of the editor of the console: the preview is drawn from them.
create table template_drafts (
  id uuid primary key,
  service_id uuid not null references services,
  user_id uuid not null references users,
  -- Null while the template is new.
  template_id uuid references templates,
  -- The fields of the editor, and the values for the preview.
  fields jsonb not null,
  updated_at timestamptz not null
);
create index template_drafts_user_id_idx on template_drafts (user_id, updated_at);
create index template_drafts_updated_at_idx on template_drafts (updated_at);

-- Advice about a template that a person does not want to see again.
create table template_hidden_hints (
  template_id uuid not null references templates,
  rule text not null,
  service_id uuid not null references services,
  hidden_by_id uuid not null references users,
  hidden_at timestamptz not null,
  primary key (template_id, rule)
);
