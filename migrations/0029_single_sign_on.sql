-- Who a user is at an OpenID Connect issuer. An address can change hands there; the subject cannot.
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

create trigger audit after insert or update or delete on user_identities for each row
  when (coalesce(current_setting('pennypost.actor', true), '') <> '')
  execute function record_audit_entry('user_identity', 'user_id', '{}');
