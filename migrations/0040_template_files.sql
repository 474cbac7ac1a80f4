-- Pages that are printed after a letter. The file itself is kept by id among the files of the platform.
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

alter table templates
  add column letter_attachment_id uuid references letter_attachments,
  add constraint templates_languages_are_for_letters check (letter_languages is null or template_type = 'letter'),
  add constraint templates_unsubscribe_link_is_for_emails check (not has_unsubscribe_link or template_type = 'email');
alter table templates_history add column letter_attachment_id uuid;

-- Files that recipients of an email template download. Pending: uploaded, but not yet part of the template.
create table template_email_files (
  id uuid primary key,
  service_id uuid not null references services,
  template_id uuid not null references templates,
  -- The version of the template from which on this version of the file counts.
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
