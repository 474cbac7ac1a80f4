-- What somebody is writing in the editor of the console and has not saved: the preview is drawn from it.
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
