-- The limit and the share of it that the latest statement took: one upsert can then say how many of the messages it was
-- asked for still fitted (before PostgreSQL 18 an upsert cannot return what the row held before it).
alter table daily_message_counts
  add column last_limit integer not null default 0,
  add column last_taken integer not null default 0;

-- Requests of the last minute by service and kind of key, in slots of a quarter of a second. Unlogged: it is worth
-- nothing after a crash, and writing it never waits for the disk.
create unlogged table rate_windows (
  service_id uuid not null,
  key_type text not null check (key_type in ('normal', 'team', 'test')),
  slot bigint not null,
  count integer not null,
  primary key (service_id, key_type, slot)
);

-- Adds requests that were let through already, and as many of the waiting ones as the limit allows. A function, because
-- counting must not begin before the lock is held, and within one plain statement it would.
create function take_rate_permits(
  of_service uuid, of_key_type text, now_slot bigint, window_slots integer, already integer, waiting integer, top integer,
  out granted integer, out used integer, out oldest_slot bigint
) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_service::text || of_key_type, 0));
  delete from rate_windows
    where service_id = of_service and key_type = of_key_type and slot < now_slot - window_slots;
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

-- Answers that are given again when a sender repeats a request under the same Idempotency-Key within 24 hours.
create table idempotency_keys (
  service_id uuid not null,
  key text not null,
  request_digest text not null,
  response jsonb not null,
  created_at timestamptz not null,
  primary key (service_id, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- A member's address and number are recipients that a service in trial mode may write to.
create function announce_member_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_changed', service_id::text) from service_members where user_id = new.id;
  return null;
end
$$;
create trigger announce_change after update of email_address, mobile_number, state on users
  for each row execute function announce_member_change();
