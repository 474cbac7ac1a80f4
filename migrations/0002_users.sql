create table users (
  id uuid primary key,
  name text not null,
  email_address text not null check (length(email_address) <= 255),
  mobile_number text,
  password_hash text not null,
  auth_type text not null default 'sms_auth' check (auth_type in ('sms_auth', 'email_auth', 'webauthn_auth')),
  state text not null default 'pending' check (state in ('pending', 'active', 'inactive')),
  platform_admin boolean not null default false,
  failed_login_count integer not null default 0,
  current_session_id uuid,
  email_access_validated_at timestamptz not null,
  logged_in_at timestamptz,
  password_changed_at timestamptz not null,
  take_part_in_research boolean not null default true,
  receives_new_features_email boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint users_mobile_number_required
    check (mobile_number is not null or auth_type in ('email_auth', 'webauthn_auth'))
);

-- Addresses are unique ignoring case, and are looked up ignoring case.
create unique index users_email_address_key on users (lower(email_address));
