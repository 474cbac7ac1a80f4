-- What the console needs to verify a security key. Empty for keys that another front end has registered and verifies.
alter table webauthn_credentials
  -- In base64url, as browsers write it.
  add column credential_id text,
  -- The host that the key was registered for.
  add column rp_id text,
  -- In COSE format.
  add column public_key bytea,
  -- How often the key has signed, as the key itself says. A key without a counter always says 0.
  add column sign_count bigint,
  add column transports text[],
  add constraint webauthn_credentials_credential_id_key unique (credential_id),
  add constraint webauthn_credentials_verifiable check (
    num_nulls(credential_id, rp_id, public_key, sign_count, transports) in (0, 5)
  );

-- What a security key has to sign next: one challenge per user and purpose, deleted when it is used.
create table webauthn_challenges (
  user_id uuid not null references users,
  purpose text not null check (purpose in ('registration', 'sign-in')),
  challenge text not null,
  expires_at timestamptz not null,
  primary key (user_id, purpose)
);
