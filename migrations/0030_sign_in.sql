-- What a user proves a sign-in with, beside the password. Codes are kept as keyed digests and deleted after a day.
create table verify_codes (
  id uuid primary key,
  user_id uuid not null references users,
  code_type text not null check (code_type in ('sms', 'email')),
  code_digest text not null,
  used boolean not null default false,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index verify_codes_user_id_idx on verify_codes (user_id);
create index verify_codes_created_at_idx on verify_codes (created_at);

create table webauthn_credentials (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  credential_data text not null,
  registration_response text not null,
  logged_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index webauthn_credentials_user_id_idx on webauthn_credentials (user_id);
