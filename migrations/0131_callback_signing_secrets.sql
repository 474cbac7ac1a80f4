-- What calls to a service are signed with, where it asked for a secret apart from the bearer token that travels with them.
create table service_callback_signing_secrets (
  callback_id uuid primary key references service_callback_api on delete cascade,
  encrypted_secret text not null,
  created_by_id uuid not null references users,
  created_at timestamptz not null
);
