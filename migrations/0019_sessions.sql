-- Who is signed in to the console, and where: one row per browser.
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
