create table users (
  id uuid primary key,
  name text not null,
  email_address text not null check (length(email_address) <= 255),
  mobile_number text,
  password_hash text not null,
  auth_type text not null default 'sms_auth' check (auth_type in ('sms_auth', 'email_auth', 'webauthn_auth')),
  state text not null default 'pending' check (state in ('pending', 'active', 'inactive')),
  platform_admin boolean not null default false,
  -- Wrong passwords and wrong codes together, as the API shows it.
  failed_login_count integer not null default 0,
  -- Wrong passwords and wrong codes in a row. Each is reset only by a correct one of its own kind.
  failed_password_count integer not null default 0,
  failed_code_count integer not null default 0,
  passwords_refused_until timestamptz,
  current_session_id uuid,
  email_access_validated_at timestamptz not null,
  logged_in_at timestamptz,
  password_changed_at timestamptz not null,
  take_part_in_research boolean not null default true,
  receives_new_features_email boolean not null default true,
  -- Browser tests may reset only the users that they have created themselves.
  created_for_tests boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint users_mobile_number_required
    check (mobile_number is not null or auth_type in ('email_auth', 'webauthn_auth'))
);

-- Addresses are unique ignoring case, and are looked up ignoring case.
create unique index users_email_address_key on users (lower(email_address));

-- A service in trial mode may send to its members, so their addresses and numbers are part of its cached data.
create function announce_member_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', service_id::text) from service_members where user_id = new.id;
  return null;
end
$$;
create trigger announce_change after update of email_address, mobile_number, state on users
  for each row execute function announce_member_change();

-- Proof of a sign-in beside the password. Codes are stored as keyed digests and deleted after a day.
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

-- Reported by the administrative front end for the record: sign-ins, permission changes, archives.
create table events (
  id uuid primary key,
  event_type text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index events_created_at_idx on events (created_at);
