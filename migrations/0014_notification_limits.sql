-- Messages of a service, channel and UTC day, counted in the commit that accepts them: exact at any concurrency. With room in the
-- page, the new version of a row needs no entry in the index: with 20,000 services, an update takes a sixth less processor time.
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
) with (fillfactor = 50);
-- Old counters are deleted every hour, without reading those of today.
create index daily_message_counts_utc_day_idx on daily_message_counts (utc_day);

-- The part of a daily limit that the messages of a commit request.
create type quota_request as (
  service_id uuid,
  utc_day date,
  channel text,
  requested integer,
  daily_limit integer
);

-- Messages of a financial year, counted in the commit that accepts them, for owners that have a limit.
create table annual_counts (
  owner_kind text not null check (owner_kind in ('service', 'organisation')),
  owner_id uuid not null,
  -- The first day of the year.
  year_start date not null,
  channel text not null check (channel in ('sms', 'email', 'letter')),
  count integer not null,
  -- Counted anew where it is not that of the service.
  unit text not null default 'messages' check (unit in ('messages', 'parts')),
  primary key (owner_kind, owner_id, year_start, channel)
) with (fillfactor = 50);

-- A counter is kept only while there is a limit, and is counted anew from the statistics where it is missing.
create function forget_annual_counts() returns trigger language plpgsql as $$
begin
  delete from annual_counts where owner_kind = tg_argv[0] and owner_id = new.id and channel = any (array_remove(array[
    case when old.email_annual_limit is null and new.email_annual_limit is not null then 'email' end,
    case when old.sms_annual_limit is null and new.sms_annual_limit is not null then 'sms' end,
    case when old.letter_annual_limit is null and new.letter_annual_limit is not null then 'letter' end
  ], null));
  return null;
end
$$;
create trigger forget_annual_counts after update of email_annual_limit, sms_annual_limit, letter_annual_limit on services
  for each row execute function forget_annual_counts('service');
create trigger forget_annual_counts after update of email_annual_limit, sms_annual_limit, letter_annual_limit on organisations
  for each row execute function forget_annual_counts('organisation');

-- What a service has sent counts for the organisation that it belongs to now.
create function forget_counts_of_organisations() returns trigger language plpgsql as $$
begin
  delete from annual_counts where owner_kind = 'organisation' and owner_id in (old.organisation_id, new.organisation_id);
  return null;
end
$$;
create trigger forget_counts_of_organisations after update of organisation_id on services
  for each row when (old.organisation_id is distinct from new.organisation_id)
  execute function forget_counts_of_organisations();

-- Notices that a limit is nearly or wholly used: one for each day or year, and level.
create table limit_notices (
  owner_kind text not null check (owner_kind in ('service', 'organisation')),
  owner_id uuid not null,
  channel text not null check (channel in ('sms', 'email', 'letter', 'international_sms')),
  period text not null check (period in ('day', 'year')),
  -- The day, or the first day of the financial year.
  period_start date not null,
  -- Percent of the limit.
  level integer not null check (level in (80, 100)),
  sent_at timestamptz not null,
  primary key (owner_kind, owner_id, channel, period, period_start, level)
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
