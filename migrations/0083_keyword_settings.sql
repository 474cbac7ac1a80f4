-- What a service changes in STOP, START and HELP. Null: as for the installation.
create table keyword_settings (
  service_id uuid primary key references services (id) on delete cascade,
  -- Besides those that everybody has; in capitals and without accents, as they are compared.
  stop_words text[] not null,
  start_words text[] not null,
  help_words text[] not null,
  stop_reply text check (length(stop_reply) between 1 and 300),
  help_reply text check (length(help_reply) between 1 and 300),
  -- Whether STOP stops all texts of the service, or those from the number that got the reply.
  scope text check (scope in ('service', 'sender')),
  updated_at timestamptz not null
);
create trigger audit after insert or update or delete on keyword_settings for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('keyword_settings', 'service_id', '{}');
