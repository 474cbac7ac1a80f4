-- Services that are being moved to another store. In the main database only.
create table service_moves (
  service_id uuid primary key references services on delete cascade,
  from_store smallint not null references message_stores,
  to_store smallint not null references message_stores,
  started_at timestamptz not null,
  -- From then on the service is at home in the other store; only old rows remain to be deleted.
  switched_at timestamptz,
  check (from_store <> to_store)
);

-- A service that is being moved, in both of its stores.
create table moving_services (
  service_id uuid primary key,
  -- In the store that it leaves: 'leaving', then 'holding' (its messages stay in the queue), 'closed' (nothing about it can be written)
  -- and 'gone' (its rows there are old). In the store that it goes to: 'arriving' (its rows there do not count yet).
  state text not null check (state in ('leaving', 'holding', 'closed', 'gone', 'arriving')),
  -- When it arrives: the key of the last copied row of each table; 'done' when all rows of a table are copied.
  progress jsonb not null default '{}',
  -- When it arrives: every change of an earlier transaction of the other store has been copied.
  copied_until xid8
);

-- Rows of a leaving service that changed, by primary key.
create table service_changes (
  service_id uuid not null,
  table_name text not null,
  key jsonb not null,
  changed_in xid8 not null default pg_current_xact_id()
);
create index service_changes_changed_in_idx on service_changes (service_id, changed_in);

-- Places of a leaving service that were taken out of the delivery queue.
create table held_places (
  like delivery_queue including defaults including constraints,
  -- Whether the other store has it.
  is_copied boolean not null default false,
  primary key (notification_id)
);
create index held_places_service_id_idx on held_places (service_id);

-- Rows of an arriving service that must exist in one store only: they become rows of their tables at the switch.
create table arriving_rows (
  service_id uuid not null,
  table_name text not null,
  rows json not null
);
create index arriving_rows_service_id_idx on arriving_rows (service_id);

-- Exists on the tables of a store while a service leaves it or arrives in it. The lock is exclusive while the state changes to 'closed', so
-- that every earlier write has been committed by then. Arguments: the service, the table (which is not the partition), then for tables without
-- `service_id` the table and column that have it and the column that refers to them, then the columns of the primary key.
create function follow_moving_service() returns trigger language plpgsql as $$
declare
  service constant uuid := tg_argv[0];
  changed constant jsonb := to_jsonb(coalesce(new, old));
  current_state text;
  belongs boolean := true;
begin
  if current_setting('pennypost.moving', true) = 'on' then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[0], 38));
  select state into current_state from moving_services where service_id = service;
  if current_state in ('leaving', 'holding') then
    insert into service_changes (service_id, table_name, key)
    select service, tg_argv[1], jsonb_object_agg(name, changed -> name) from unnest(tg_argv[5:]) as name;
  elsif current_state is not null then
    if tg_argv[2] <> '' then
      execute format('select exists (select from %I where %I = %L and service_id = %L)',
        tg_argv[2], tg_argv[3], changed ->> tg_argv[4], service) into belongs;
    end if;
    if belongs then
      raise exception 'The service is being moved to another store' using errcode = 'PPMOV', detail = service::text;
    end if;
  end if;
  return null;
end;
$$;

-- On the delivery queue of a store that a service leaves: while its messages are held, new ones are, too.
create function hold_new_place() returns trigger language plpgsql as $$
begin
  if exists (select from moving_services where service_id = new.service_id and state = 'holding') then
    insert into held_places select new.*;
    return null;
  end if;
  return new;
end;
$$;

-- Every process reads again where a service is at home.
create trigger announce_change after insert or update or delete on service_stores
  for each row execute function announce_service_change();

-- Despatches of a moved service were counted in the store that it came from.
drop trigger count_despatches on letter_despatches;
create trigger count_despatches after insert on letter_despatches
  referencing new table as despatched for each statement
  when (coalesce(current_setting('pennypost.moving', true), '') <> 'on') execute function count_despatches();
