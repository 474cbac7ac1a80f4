-- Optional limits of an API key: until when, and from which networks it may be used.
alter table api_keys add column expires_at timestamptz, add column allowed_networks text[];
alter table api_keys_history add column expires_at timestamptz, add column allowed_networks text[];

-- Apart from api_keys, where every change makes all processes read the keys of the service again.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_at timestamptz not null
);
