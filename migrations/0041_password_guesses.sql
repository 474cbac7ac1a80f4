-- Wrong passwords at the console, counted by account, by client address and by both, and the addresses that each account
-- has signed in from.
create table password_guesses (
  -- A keyed digest of what is counted: an address is personal data, and so is who uses it.
  counted text primary key,
  -- Set where the account exists and has a password, so that its counts can be reset.
  user_id uuid references users,
  wrong_count integer not null,
  -- When the count began. It starts over after a while.
  counted_since timestamptz not null,
  refused_until timestamptz,
  -- Of an account at an address: when it last signed in from there.
  signed_in_at timestamptz
);
create index password_guesses_user_id_idx on password_guesses (user_id);
create index password_guesses_counted_since_idx on password_guesses (counted_since);
