-- One row per browser in which a person is signed in to the console.
create table sessions (
  id uuid primary key,
  -- SHA-256 of the token in the cookie.
  token_hash text not null unique,
  user_id uuid not null references users,
  -- The user's password_changed_at: the session ends when the password changes.
  password_changed_at timestamptz not null,
  -- Whether the user was a platform administrator: the session ends when the user is one no longer.
  platform_admin boolean not null,
  -- What the browser says about itself.
  device text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null
);
create index sessions_user_id_idx on sessions (user_id);
create index sessions_created_at_idx on sessions (created_at);
create trigger audit after insert or update or delete on sessions for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('session', 'user_id', '{}');

-- Things that a person has opened, cleared or dismissed in the console.
create table console_marks (
  user_id uuid not null references users,
  -- sandbox-opened: a message. sandbox-cleared: the list begins after this id. steps-hidden: a service.
  kind text not null,
  subject_id uuid not null,
  primary key (user_id, kind, subject_id)
);
