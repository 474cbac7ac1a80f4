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
  -- When the user last had too many failures in a row: sessions from before that end.
  locked_at timestamptz,
  -- May look at the pages of operators, and change nothing. Without meaning for platform administrators, who may do both.
  read_only_operator boolean not null default false,
  -- The zone of the times that a person reads and chooses in the console. Null: that of the installation.
  time_zone text,
  -- The language that a person reads; null: what their browser asks for.
  language text,
  constraint users_mobile_number_required
    check (mobile_number is not null or auth_type in ('email_auth', 'webauthn_auth'))
);

-- Addresses are unique ignoring case, and are looked up ignoring case.
create unique index users_email_address_key on users (lower(email_address));

-- Caches of a service have the addresses and numbers of its members, whom it may send to in trial mode, and the authors of its
-- templates.
create function announce_member_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', service_id::text) from (
    select service_id from service_members where user_id = new.id
    union
    select service_id from templates where created_by_id = new.id
  ) as concerned;
  return null;
end
$$;
create trigger announce_change after update of name, email_address, mobile_number, state on users
  for each row
  when ((old.name, old.email_address, old.mobile_number, old.state)
    is distinct from (new.name, new.email_address, new.mobile_number, new.state))
  execute function announce_member_change();

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
  updated_at timestamptz,
  -- The console needs these to verify a security key. Null for keys that another front end has registered and verifies.
  -- In base64url, as browsers write it.
  credential_id text constraint webauthn_credentials_credential_id_key unique,
  -- The host that the key was registered for.
  rp_id text,
  -- In COSE format.
  public_key bytea,
  -- How often the key has signed, as the key itself says. A key without a counter always says 0.
  sign_count bigint,
  transports text[],
  constraint webauthn_credentials_verifiable check (
    num_nulls(credential_id, rp_id, public_key, sign_count, transports) in (0, 5)
  )
);
create index webauthn_credentials_user_id_idx on webauthn_credentials (user_id);

-- The next value that a security key has to sign: one per user and purpose, deleted when it is used.
create table webauthn_challenges (
  user_id uuid not null references users,
  purpose text not null check (purpose in ('registration', 'sign-in')),
  challenge text not null,
  expires_at timestamptz not null,
  primary key (user_id, purpose)
);

-- Users of OpenID Connect issuers. An address can change hands there; the subject cannot.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject),
  constraint user_identities_one_per_issuer unique (user_id, issuer)
);

-- The states of completed sign-ins, so that none works twice; deleted when their cookies have expired.
create table single_sign_on_states (
  -- SHA-256 of the state.
  state_hash text primary key,
  expires_at timestamptz not null
);
create index single_sign_on_states_expires_at_idx on single_sign_on_states (expires_at);

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

-- Messages that a person made the platform send, to limit how many: one row each, deleted after a day.
create table requested_messages (
  -- The account or the service for which the message was sent.
  requested_for uuid not null,
  kind text not null,
  requested_at timestamptz not null
);
create index requested_messages_requested_for_idx on requested_messages (requested_for, kind, requested_at);
create index requested_messages_requested_at_idx on requested_messages (requested_at);

-- Reported by the administrative front end for the record: sign-ins, permission changes, archives.
create table events (
  id uuid primary key,
  event_type text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index events_created_at_idx on events (created_at);
