-- Text messages sent to the number of a service.
create table inbound_sms (
  id uuid primary key,
  service_id uuid not null references services,
  -- The service's number as stored (07...), and the sender's with country code where it is valid.
  notify_number text not null,
  user_number text not null,
  content text not null,
  provider text not null,
  provider_reference text,
  provider_date timestamptz,
  created_at timestamptz not null
);
create index inbound_sms_service_id_idx on inbound_sms (service_id, id desc);
create index inbound_sms_conversation_idx on inbound_sms (service_id, user_number, id desc);
