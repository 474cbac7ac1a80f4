-- The databases that have messages. Number 0 is the main one, which also has the configuration: users, organisations, services,
-- templates, keys. Empty while there is only the main one.
create table message_stores (
  number smallint primary key check (number between 0 and 255),
  -- Whether new services may get it.
  is_open boolean not null,
  added_at timestamptz not null
);

-- Which store has the messages of a service. Without a row: the main one.
create table service_stores (
  service_id uuid primary key references services on delete cascade,
  store smallint not null references message_stores
);
create index service_stores_store_idx on service_stores (store);

-- Rows of the configuration that changed, for the stores to copy; the key has the columns of the primary key. A store copies the rows as
-- they are when it reads them, so the order of changes does not matter.
create table configuration_changes (
  table_name text not null,
  key jsonb not null,
  changed_in xid8 not null default pg_current_xact_id()
);
create index configuration_changes_changed_in_idx on configuration_changes (changed_in);

-- Says which store a database is. In the main database the number is 0 and nothing is copied.
create table this_store (
  number smallint primary key check (number between 0 and 255),
  -- The same in all databases that belong together.
  installation uuid not null,
  -- Every change of an earlier transaction of the main database has been copied. Null: nothing has been copied.
  copied_until xid8
);

-- For tables of the configuration in the main database, once there is a store. The arguments are the columns of the primary key.
create function record_configuration_change() returns trigger language plpgsql as $$
begin
  insert into configuration_changes (table_name, key)
  select distinct tg_table_name, changed.key from (
    select (select jsonb_object_agg(name, to_jsonb(old) -> name) from unnest(tg_argv) as name) as key where tg_op <> 'INSERT'
    union all
    select (select jsonb_object_agg(name, to_jsonb(new) -> name) from unnest(tg_argv) as name) where tg_op <> 'DELETE'
  ) as changed;
  return null;
end;
$$;

-- For tables of the configuration in a store: only the copy from the main database may change them.
create function refuse_configuration_change() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('pennypost.copying', true), '') <> 'on' then
    raise exception 'The table % can be changed in the main database only', tg_table_name;
  end if;
  return null;
end;
$$;
