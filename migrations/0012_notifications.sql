-- Partitioned by id: ids are UUIDv7, so a range of ids is a range of time. Partitions are created in advance and dropped
-- whole; the default one only ensures that a missing partition never refuses a message. No foreign keys: accepting a message
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
  -- As the sender wrote it; the normalised form goes to providers and is compared with guest lists.
  recipient text not null,
  normalised_recipient text,
  personalisation jsonb not null default '{}',
  -- The sender name, reply-to address or contact block at the time of acceptance.
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
  updated_at timestamptz,
  -- Values that give access (sign-in codes, links to accounts and to files), encrypted, apart from the others.
  secret_personalisation text,
  -- How many files a message links to; null for none. Written only for messages with files, so accepting others costs the
  -- same.
  document_download_count smallint
) partition by range (id);
-- A status change must stay within its page and touch no index: so the pages have free space, and no index contains the
-- status, not even in its condition.
create table notifications_default partition of notifications default with (fillfactor = 60);
create index notifications_service_id_idx on notifications (service_id, id desc);
-- An index entry is limited to 2,704 bytes, and a reference has up to 1,000 characters of up to four bytes: only its beginning
-- is indexed.
create index notifications_reference_start_idx on notifications (service_id, left(client_reference, 200))
  where client_reference is not null;
create index notifications_provider_reference_idx on notifications (provider_reference)
  where provider_reference is not null;
-- Finds the letters that are not finished. Not by status: see above.
create index notifications_letters_idx on notifications (id) where notification_type = 'letter';

-- Letters whose id was chosen by the caller who uploaded them. Internally a message has an id that ascends with time; the API
-- shows the chosen one. Each service has its own ids: the same one in two services is two letters.
create table uploaded_letters (
  service_id uuid not null references services,
  file_id uuid not null,
  notification_id uuid not null constraint uploaded_letters_notification_id_key unique,
  created_at timestamptz not null,
  primary key (service_id, file_id)
);
create index uploaded_letters_file_id_idx on uploaded_letters (file_id);

-- Files that were stored for a message whose transaction has not ended. The transaction that stores the message deletes its
-- rows; where that never happens, the files are deleted an hour later.
create table unconfirmed_files (
  path text primary key,
  created_at timestamptz not null
);

-- Messages to hand over to a provider. The notification's row decides, this is only the queue. A leased row has its due_at
-- set to the end of the lease: no worker sees it until then, and finding what is due never skips over rows in flight.
create table delivery_queue (
  notification_id uuid primary key,
  service_id uuid not null,
  notification_type text not null check (notification_type in ('sms', 'email', 'letter')),
  lane smallint not null, -- 0 priority, 1 normal, 2 bulk
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- The provider that was called last, written before the call. Until the result is known it may have the message.
  provider text,
  outcome_known boolean not null default true,
  -- The worker that holds the lease. Its result counts only while it does: a worker that was stalled for longer than its
  -- lease changes nothing that another worker holds by then.
  leased_by uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_lane_idx on delivery_queue (notification_type, lane, service_id, due_at);

-- Messages of a service, channel and UTC day, counted in the commit that accepts them: exact at any concurrency.
create table daily_message_counts (
  service_id uuid not null,
  utc_day date not null,
  channel text not null check (channel in ('sms', 'email', 'letter', 'international_sms')),
  count integer not null,
  -- The limit and the part of it that the latest statement took, so that one upsert can return how many of the requested
  -- messages were within the limit (before PostgreSQL 18 an upsert cannot return the row's previous values).
  last_limit integer not null default 0,
  last_taken integer not null default 0,
  primary key (service_id, utc_day, channel)
);

-- Requests of the last minute by service and kind of key, in slots of a quarter of a second; reading has limits of its own.
-- Unlogged: it is worthless after a crash, and writing it never waits for the disk.
create unlogged table rate_windows (
  service_id uuid not null,
  key_type text not null check (key_type in ('normal', 'team', 'test', 'read-normal', 'read-team', 'read-test')),
  slot bigint not null,
  count integer not null,
  primary key (service_id, key_type, slot)
);

-- Adds requests that were already allowed, and as many of the waiting ones as the limit allows. A function, because counting
-- must not begin before the lock is held, and within one plain statement it would. Deletes slots that are too old, and slots
-- further ahead than a whole window: they are no skew between machines, but from before the clock was set back, and would
-- fill the window until the clock has caught up.
create function take_rate_permits(
  of_service uuid, of_key_type text, now_slot bigint, window_slots integer, already integer, waiting integer, top integer,
  out granted integer, out used integer, out oldest_slot bigint
) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_service::text || of_key_type, 0));
  delete from rate_windows
    where service_id = of_service and key_type = of_key_type
      and (slot < now_slot - window_slots or slot > now_slot + window_slots);
  select coalesce(sum(count), 0), min(slot) into used, oldest_slot
    from rate_windows where service_id = of_service and key_type = of_key_type;
  granted := greatest(0, least(waiting, top - used - already));
  if already + granted > 0 then
    insert into rate_windows as w (service_id, key_type, slot, count)
      values (of_service, of_key_type, now_slot, already + granted)
      on conflict (service_id, key_type, slot) do update set count = w.count + excluded.count;
    used := used + already + granted;
    oldest_slot := coalesce(oldest_slot, now_slot);
  end if;
end
$$;

-- Responses that are returned again when a sender repeats a request with the same Idempotency-Key within 24 hours.
create table idempotency_keys (
  service_id uuid not null,
  key text not null,
  request_digest text not null,
  response jsonb not null,
  created_at timestamptz not null,
  primary key (service_id, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
