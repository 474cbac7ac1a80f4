-- Where a service wants to be told what happened; one address per kind of event.
create table service_callback_api (
  id uuid primary key,
  service_id uuid not null references services,
  callback_type text not null check (callback_type in ('delivery_status', 'complaint', 'returned_letter', 'inbound_sms')),
  url text not null,
  -- Encrypted for the purpose `callback-token`; it is sent to the service's own address and shown to nobody.
  encrypted_bearer_token text not null,
  updated_by_id uuid not null references users,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz,
  constraint service_callback_api_type_key unique (service_id, callback_type)
);
create trigger announce_change after insert or update or delete on service_callback_api
  for each row execute function announce_service_change();

-- Who pointed a service's callbacks where, and when; the tokens themselves are not kept.
create table service_callback_api_history (
  id uuid not null,
  version integer not null,
  service_id uuid not null,
  callback_type text not null,
  url text not null,
  updated_by_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (id, version)
);
