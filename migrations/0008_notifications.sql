-- Partitioned by id: ids are UUIDv7, so a range of ids is a range of time. Partitions are made ahead of time and dropped
-- whole; the default one only keeps a missing partition from ever refusing a message. No foreign keys: accepting a message
-- must not lock rows of other tables.
create table notifications (
  id uuid primary key,
  service_id uuid not null,
  template_id uuid not null,
  template_version integer not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  api_key_id uuid,
  created_by_id uuid,
  status text not null check (status in ('created', 'sending', 'sent', 'pending', 'delivered', 'failed',
    'technical-failure', 'temporary-failure', 'permanent-failure', 'cancelled', 'pending-virus-check',
    'validation-failed', 'virus-scan-failed', 'returned-letter')),
  client_reference text,
  -- As the sender wrote it; the normalised form is what providers get and what guest lists are compared with.
  recipient text not null,
  normalised_recipient text,
  personalisation jsonb not null default '{}',
  -- The sender name, reply-to address or contact block at the moment of acceptance.
  reply_to_text text,
  postage text check (postage in ('first', 'second', 'economy', 'europe', 'rest-of-world')),
  international boolean not null default false,
  rate_multiplier smallint not null default 1,
  -- Fragments of a text message, sheets of a letter; 0 until known.
  billable_units integer not null default 0,
  provider text,
  provider_reference text,
  one_click_unsubscribe_url text,
  scheduled_for timestamptz,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz
) partition by range (id);
-- A status change must stay within its page and touch no index: so there is room in the pages, and no index names the
-- status, not even in its condition.
create table notifications_default partition of notifications default with (fillfactor = 60);
create index notifications_service_id_idx on notifications (service_id, id desc);
create index notifications_client_reference_idx on notifications (service_id, client_reference)
  where client_reference is not null;
create index notifications_provider_reference_idx on notifications (provider_reference)
  where provider_reference is not null;

-- What still has to be handed to a provider. Row first: the notification is the truth, this is only the queue.
-- A leased row has its due_at moved to the end of the lease: it is out of everybody's sight until then, and finding what
-- is due never steps over rows in flight.
create table delivery_queue (
  notification_id uuid primary key,
  service_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  lane smallint not null, -- 0 priority, 1 normal, 2 bulk
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- Who was called last, written before the call. Until the answer is known that provider may have the message.
  provider text,
  outcome_known boolean not null default true
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_lane_idx on delivery_queue (notification_type, lane, service_id, due_at);

create function announce_queued() returns trigger language plpgsql as $$
begin
  perform pg_notify('delivery_queue', '');
  return null;
end
$$;
-- Once per statement, so accepting many messages together wakes the workers once.
create trigger announce_queued after insert on delivery_queue for each statement execute function announce_queued();

-- Messages of a service, channel and UTC day, counted in the commit that accepts them: exact at any concurrency.
create table daily_message_counts (
  service_id uuid not null,
  utc_day date not null,
  channel text not null check (channel in ('sms', 'email', 'letter', 'international_sms')),
  count integer not null,
  primary key (service_id, utc_day, channel)
);
